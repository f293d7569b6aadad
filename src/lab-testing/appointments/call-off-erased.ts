import { z } from 'zod';
import { SCHEDULING_PROVIDERS } from '../../adapters/scheduling/port.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, enqueue, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { isAway, providerOf } from './ask-provider.ts';
import * as store from './store.ts';
import { againAfter } from './timers.ts';

/** All that is known of a visit once its row is erased. */
const Input = z.object({
  appointment_id: z.guid(),
  provider: z.enum(SCHEDULING_PROVIDERS),
  tries: z.int(),
});

/** A month of them, most four hours apart. */
const TRIES = 180;

/** Has the visits of a user called off who is being erased: nobody is to ring at the door of who is not known here. */
export async function callOffVisits(_app: App, work: Work, userId: string): Promise<void> {
  for (const { id, provider } of await store.listOpenOfUser(work, userId)) {
    await enqueue(work, callOffErased, { appointment_id: id, provider, tries: 0 });
  }
}

/** Calls off at the provider what there is no row of any more; one that refuses has its way. */
export const callOffErased: Job<App, z.output<typeof Input>> = defineJob({
  name: 'appointments.call-off-erased',
  input: Input,
  async run(app, tenant, { appointment_id: id, provider, tries }) {
    try {
      await providerOf(app, tenant, provider).cancel({
        appointmentId: id,
        reason: 'The patient was deleted',
        note: null,
      });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      app.log.warn(
        { appointment_id: id, team_id: tenant.teamId, err: error },
        'a visit of an erased user was not cancelled',
      );
      if (!isAway(error) || tries >= TRIES) return;
      const input = { appointment_id: id, provider, tries: tries + 1 };
      await inTenant(app, tenant, (work) =>
        setTimer(work, callOffErased, { key: id, dueAt: againAfter(work.now, tries), input }),
      );
    }
  },
});
