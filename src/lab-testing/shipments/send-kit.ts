import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import { DAY, later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { amend, findOrder, hasOrder, lockOrder, type Order } from '../orders/orders.ts';
import type { Step } from '../orders/status.ts';
import { keepLabels, requestLabel, type Labels, type SentLabel } from './shipments.ts';
import { LEGS, type Leg } from './status.ts';
import * as store from './store.ts';

const Input = z.object({ order_id: z.guid() });

/** Longer than the queue pauses between two tries: it comes when the queue has given up, and not before. */
const LOOK_AGAIN_MS = DAY;

/** A kit that got no labels is not forgotten, neither by a queue that gave it up nor in its user's grace period. */
export const sendKitAgain: Job<App, z.output<typeof Input>> = defineJob({
  name: 'shipments.send-kit',
  input: Input,
  async run(app, tenant, { order_id: id }) {
    const order = await readTenant(app, tenant, (work) => findOrder(work, id));
    if (order) await sendKit(app, tenant, order);
    else await inTenant(app, tenant, (work) => putOff(work, { id, reason: null }));
  },
});

/** A kit of a known patient leaves with its requisition; one that is registered later needs none to leave. */
const LEAVES_FROM: ReadonlySet<Step> = new Set([
  'requisition_created',
  'requisition_bypassed',
  'awaiting_registration',
]);

const mayLeave = (order: Order): boolean =>
  order.leg === 'stock' &&
  order.shipment === null &&
  order.private.shipping !== null &&
  (LEAVES_FROM.has(order.step) || (order.registrable && order.step === 'ordered'));

/** Longer than a courier takes to sell two labels. */
const BUYING_MS = 3 * MINUTE;

/**
 * Gives a kit that may leave its labels; both go into the box. Asking again for the same makes none anew, so a failure
 * in between costs nothing; two who ask at once would, so one of them waits until the queue tries it again.
 */
export async function sendKit(app: App, tenant: Tenant, seen: Order): Promise<void> {
  if (!mayLeave(seen)) return;
  const isOurs = await inTenant(app, tenant, (work) =>
    store.leaseLabels(work, seen.id, later(work.now, BUYING_MS)),
  );
  if (!isOurs) throw new DomainError('unavailable', 'The labels of this order are being bought');
  const labels = await buyLabels(app, tenant, seen);
  await inTenant(app, tenant, async (work) => {
    // Its next step waits until the labels are kept; else they would be kept three minutes later.
    const order = await lockOrder(work, seen.id);
    if (!order || !mayLeave(order)) return;
    const changes = await keepLabels(work, order, labels);
    if (changes.shipment !== undefined) await amend(work, order, { ...changes, waiting_reason: null });
  });
}

async function buyLabels(app: App, tenant: Tenant, order: Order): Promise<Labels> {
  const labels = new Map<Leg, SentLabel>();
  try {
    for (const leg of LEGS) labels.set(leg, await requestLabel(app, tenant, { order, leg }));
    return labels;
  } catch (error) {
    await inTenant(app, tenant, async (work) => {
      await store.giveLeaseBack(work, order.id);
      await putOff(work, { id: order.id, reason: reasonOf(error) });
    });
    throw error;
  }
}

const REASON_MAX = 200;

/** What the team can act on is told in the courier's own words. */
const reasonOf = (error: unknown): string =>
  error instanceof DomainError && typeof error.detail === 'string'
    ? error.detail.slice(0, REASON_MAX)
    : 'The courier gave no labels';

/** A kit never waits in silence: the order's `notes` and an event say what for, and it is looked at again. */
async function putOff(work: Work, { id, reason }: { id: string; reason: string | null }): Promise<void> {
  const order = await lockOrder(work, id);
  if (order ? !mayLeave(order) : !(await hasOrder(work, id))) return;
  if (order && order.waiting_reason !== reason) await amend(work, order, { waiting_reason: reason });
  await setTimer(work, sendKitAgain, {
    key: id,
    dueAt: later(work.now, LOOK_AGAIN_MS),
    input: { order_id: id },
  });
}
