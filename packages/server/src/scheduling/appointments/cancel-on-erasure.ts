import { z } from 'zod';
import { SCHEDULING_PROVIDERS } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, enqueue, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { isProviderUnreachable, requireProvider } from './call-provider.ts';
import * as store from './store.ts';
import { nextRetryAt } from './timers.ts';

/** Everything that is still known of a visit after its row is erased. */
const CancelErasedVisitInput = z.object({
  appointment_id: z.guid(),
  provider: z.enum(SCHEDULING_PROVIDERS),
  tries: z.int(),
});

/** About a month, with most attempts four hours apart. */
const TRIES_MAX = 180;

/** Schedules the cancellation of all open visits of a user who is being erased. */
export async function cancelVisitsOnErasure(_app: App, work: Work, userId: string): Promise<void> {
  for (const { id, provider } of await store.listUnfinishedOfUser(work, userId)) {
    await enqueue(work, cancelErasedVisit, { appointment_id: id, provider, tries: 0 });
  }
}

/** Cancels a visit at the provider after its row was erased. Retried until the provider answers; a refusal is final. */
export const cancelErasedVisit: Job<App, z.output<typeof CancelErasedVisitInput>> = defineJob({
  name: 'appointments.call-off-erased',
  input: CancelErasedVisitInput,
  async run(app, tenant, { appointment_id: id, provider, tries }) {
    try {
      await requireProvider(app, tenant, provider).cancel({
        appointmentId: id,
        reason: 'The patient was deleted',
        note: null,
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      app.log.warn(
        { appointment_id: id, team_id: tenant.teamId, err: error },
        'cancelling a visit of an erased user failed',
      );
      if (!isProviderUnreachable(error) || tries >= TRIES_MAX) return;
      const input = { appointment_id: id, provider, tries: tries + 1 };
      await inTenant(app, tenant, (work) =>
        setTimer(work, cancelErasedVisit, { key: id, dueAt: nextRetryAt(work.now, tries), input }),
      );
    }
  },
});
