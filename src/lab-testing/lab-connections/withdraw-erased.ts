import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { canCancel, topLevel } from '../orders/status.ts';
import { listPlacedOf } from './placed-store.ts';

/** All that is known of an order and its messages once they are erased. */
const Input = z.object({
  order_id: z.guid(),
  connection_id: z.guid(),
  lab: z.string(),
  tries: z.int(),
});

/** An order that is being sent at this moment is with the laboratory by then, or will never be. */
const SENDING_MS = 5 * MINUTE;
const WAITS_MS = [5 * MINUTE, 30 * MINUTE, 2 * HOUR];
const LONGEST_MS = 6 * HOUR;
/** A month of them. */
const TRIES = 120;

/**
 * Has the laboratory told, as a user is erased, that it need not wait for them: of each order that it was asked for and
 * that could still be cancelled, be it one that it is just being asked for.
 */
export async function withdrawOrders(_app: App, work: Work, userId: string): Promise<void> {
  for (const { facts, ...input } of await listPlacedOf(work, userId)) {
    const isCancelled = topLevel(facts.modality, facts.step) === 'cancelled';
    if (!isCancelled && !canCancel(facts)) continue;
    await setTimer(work, withdrawErased, {
      key: input.order_id,
      dueAt: later(work.now, SENDING_MS),
      input: { ...input, tries: 0 },
      lane: input.lab,
    });
  }
}

/** Takes back at the laboratory what there is no row of any more, and tries it for a month. */
export const withdrawErased: Job<App, z.output<typeof Input>> = defineJob({
  name: 'lab-connections.withdraw-erased',
  input: Input,
  asksLaboratory: true,
  async run(app, tenant, input) {
    const { order_id: orderId, connection_id: erasedFrom, lab, tries } = input;
    try {
      await app.labNetworks[tenant.environment]?.withdrawTests({ tenant, orderId, lab, erasedFrom });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const told = { order_id: orderId, team_id: tenant.teamId, err: error };
      if (error.kind === 'conflict')
        return app.log.warn(told, 'the order of an erased user was not taken back');
      if (tries >= TRIES) return app.log.error(told, 'the order of an erased user stays with its laboratory');
      app.log.warn(told, 'the order of an erased user was not taken back');
      await inTenant(app, tenant, (work) =>
        setTimer(work, withdrawErased, {
          key: orderId,
          dueAt: later(work.now, WAITS_MS[tries] ?? LONGEST_MS),
          input: { ...input, tries: tries + 1 },
          lane: lab,
        }),
      );
    }
  },
});
