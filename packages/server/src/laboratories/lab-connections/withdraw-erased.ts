import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { HOUR, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { canCancel, topLevel } from '../../ordering/orders/status.ts';
import { listPlacedOrdersOfUser } from './placed-order-store.ts';

/** All that remains of an order and its messages after the erasure. */
const WithdrawErasedInput = z.object({
  order_id: z.guid(),
  connection_id: z.guid(),
  lab: z.string(),
  tries: z.int(),
});

/** After this time, an order that was being sent has either reached the laboratory or never will. */
const SENDING_TIME_MAX_MS = 5 * MINUTE;
const RETRY_DELAYS_MS = [5 * MINUTE, 30 * MINUTE, 2 * HOUR];
const RETRY_DELAY_MAX_MS = 6 * HOUR;
/** About a month. */
const ATTEMPTS_MAX = 120;

/**
 * Schedules cancellations at the laboratories when a user is erased: for every placed order that can still be
 * cancelled, including orders that are being sent.
 */
export async function withdrawOrders(_app: App, work: Work, userId: string): Promise<void> {
  for (const { facts, ...input } of await listPlacedOrdersOfUser(work, userId)) {
    const isCancelled = topLevel(facts.modality, facts.step) === 'cancelled';
    if (!isCancelled && !canCancel(facts)) continue;
    await setTimer(work, withdrawErasedOrder, {
      key: input.order_id,
      dueAt: later(work.now, SENDING_TIME_MAX_MS),
      input: { ...input, tries: 0 },
      lane: input.lab,
    });
  }
}

/** Cancels an erased order at the laboratory; retries for a month. */
export const withdrawErasedOrder: Job<App, z.output<typeof WithdrawErasedInput>> = defineJob({
  name: 'lab-connections.withdraw-erased',
  input: WithdrawErasedInput,
  asksLaboratory: true,
  async run(app, tenant, input) {
    const { order_id: orderId, connection_id: erasedFrom, lab, tries } = input;
    try {
      await app.labNetworks[tenant.environment]?.cancelTests({ tenant, orderId, lab, erasedFrom });
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const told = { order_id: orderId, team_id: tenant.teamId, err: error };
      if (error.kind === 'conflict')
        return app.log.warn(told, 'failed to cancel the order of an erased user');
      if (tries >= ATTEMPTS_MAX) return app.log.error(told, 'gave up cancelling the order of an erased user');
      app.log.warn(told, 'failed to cancel the order of an erased user');
      await inTenant(app, tenant, (work) =>
        setTimer(work, withdrawErasedOrder, {
          key: orderId,
          dueAt: later(work.now, RETRY_DELAYS_MS[tries] ?? RETRY_DELAY_MAX_MS),
          input: { ...input, tries: tries + 1 },
          lane: lab,
        }),
      );
    }
  },
});
