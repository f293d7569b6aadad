import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { amendOrder, findOrder, hasOrder, lockOrder, type Order } from '../orders/orders.ts';
import type { OrderStep } from '../orders/status.ts';
import { storeLabels, requestLabel, type LabelsByLeg, type PurchasedLabel } from './shipments.ts';
import { SHIPMENT_LEGS, type ShipmentLeg } from './status.ts';
import * as store from './store.ts';

const SendKitInput = z.object({ order_id: z.guid() });

/** Longer than the retry delays of the job queue, so that it fires only after the queue has given up. */
const RETRY_AFTER_MS = DAY;

/** Retries a kit without labels after the job queue has given up, and during the grace period of a user deletion. */
export const retrySendKit: Job<App, z.output<typeof SendKitInput>> = defineJob({
  name: 'shipments.send-kit',
  input: SendKitInput,
  async run(app, tenant, { order_id: id }) {
    const order = await readTenant(app, tenant, (work) => findOrder(work, id));
    if (order) await sendKit(app, tenant, order);
    else await inTenant(app, tenant, (work) => scheduleRetry(work, { id, reason: null }));
  },
});

/** A kit of a known patient ships with its requisition. A kit that is registered later ships without one. */
const SHIPPABLE_STEPS: ReadonlySet<OrderStep> = new Set([
  'requisition_created',
  'requisition_bypassed',
  'awaiting_registration',
]);

const isReadyToShip = (order: Order): boolean =>
  order.leg === 'stock' &&
  order.shipment === null &&
  order.private.shipping !== null &&
  (SHIPPABLE_STEPS.has(order.step) || (order.registrable && order.step === 'ordered'));

/** Longer than buying two labels takes. */
const LABEL_LEASE_MS = 3 * MINUTE;

/**
 * Buys both labels for a kit that is ready to ship, and stores them. Purchases are idempotent, so a retry after a
 * failure buys nothing twice. Concurrent purchases are not, so a lease admits one at a time; the other is retried by
 * the queue.
 */
export async function sendKit(app: App, tenant: Tenant, seen: Order): Promise<void> {
  if (!isReadyToShip(seen)) return;
  const isOurs = await inTenant(app, tenant, (work) =>
    store.acquireLabelLease(work, seen.id, later(work.now, LABEL_LEASE_MS)),
  );
  if (!isOurs)
    throw new DomainError(
      'unavailable',
      'The labels of this order are already being bought; try again later',
    );
  const labels = await buyLabels(app, tenant, seen);
  await inTenant(app, tenant, async (work) => {
    // The lock delays a concurrent step change. Otherwise they would be stored only after the lease expires.
    const order = await lockOrder(work, seen.id);
    if (!order || !isReadyToShip(order)) return;
    const changes = await storeLabels(work, order, labels);
    if (changes.shipment !== undefined) await amendOrder(work, order, { ...changes, waiting_reason: null });
  });
}

async function buyLabels(app: App, tenant: Tenant, order: Order): Promise<LabelsByLeg> {
  const labels = new Map<ShipmentLeg, PurchasedLabel>();
  try {
    for (const leg of SHIPMENT_LEGS) labels.set(leg, await requestLabel(app, tenant, { order, leg }));
    return labels;
  } catch (error) {
    await inTenant(app, tenant, async (work) => {
      await store.releaseLabelLease(work, order.id);
      await scheduleRetry(work, { id: order.id, reason: describeFailure(error) });
    });
    throw error;
  }
}

const REASON_MAX = 200;

/** The courier's own message, which the team can act on. */
const describeFailure = (error: unknown): string =>
  error instanceof DomainError && typeof error.detail === 'string'
    ? error.detail.slice(0, REASON_MAX)
    : 'The courier did not provide labels';

/** Reports why a kit waits, in the order's `notes` and in an event, and schedules a retry. */
async function scheduleRetry(
  work: Work,
  { id, reason }: { id: string; reason: string | null },
): Promise<void> {
  const order = await lockOrder(work, id);
  if (order ? !isReadyToShip(order) : !(await hasOrder(work, id))) return;
  if (order && order.waiting_reason !== reason) await amendOrder(work, order, { waiting_reason: reason });
  await setTimer(work, retrySendKit, {
    key: id,
    dueAt: later(work.now, RETRY_AFTER_MS),
    input: { order_id: id },
  });
}
