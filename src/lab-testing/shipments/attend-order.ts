import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { Reaction } from '../../events/events.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, enqueueAs, type Job } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { amend, findOrder, type Order } from '../orders/orders.ts';
import { orderCreated, orderUpdated } from '../orders/events.ts';
import type { Step } from '../orders/status.ts';
import { keepLabels, requestLabel, type Labels, type SentLabel } from './shipments.ts';
import { LEGS, type Leg } from './status.ts';
import * as store from './store.ts';
import { takeNews } from './take-news.ts';

const TYPES = new Set([orderCreated.type, orderUpdated.type]);

/**
 * Listens to orders where a real courier is connected: a kit that may leave gets its labels, and news that an order
 * could not take yet are tried again. In a sandbox a kit leaves when its simulation says so.
 */
export const shipmentReaction: Reaction<App> = {
  name: 'shipments.attend-order',
  take: async (app, tx, events) => {
    for (const { tenant, id, type } of events) {
      if (tenant.environment === 'sandbox' || !app.couriers[tenant.environment] || !TYPES.has(type)) continue;
      await enqueueAs(tx, { tenant, job: attendOrder.name, input: { event_id: id } });
    }
  },
};

const Told = z.object({ id: z.guid(), details: z.object({ type: z.string() }) });
const Input = z.object({ event_id: z.guid() });

export const attendOrder: Job<App, z.output<typeof Input>> = defineJob({
  name: 'shipments.attend-order',
  input: Input,
  async run(app, tenant, { event_id }) {
    const order = await readTenant(app, tenant, (work) => findKit(work, event_id));
    if (!order) return;
    if (mayLeave(order)) await sendKit(app, tenant, order);
    await inTenant(app, tenant, async (work) => {
      for (const { leg } of await store.listWaitingParcels(work, order.id)) {
        await takeNews(work, { orderId: order.id, leg });
      }
    });
  },
});

/** The order that an event told of, as it is now, if it is one of a kit. */
async function findKit(work: Work, eventId: string): Promise<Order | undefined> {
  const told = Told.safeParse(await store.findEventData(work, eventId));
  if (!told.success || told.data.details.type !== 'testkit') return undefined;
  return findOrder(work, told.data.id);
}

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
 * Both labels go into the box. Asking again for the same makes none anew, so a failure in between costs nothing;
 * two who ask at once would, so one of them waits until the queue tries it again.
 */
async function sendKit(app: App, tenant: Tenant, seen: Order): Promise<void> {
  const isOurs = await inTenant(app, tenant, (work) =>
    store.leaseLabels(work, seen.id, later(work.now, BUYING_MS)),
  );
  if (!isOurs) throw new DomainError('unavailable', 'The labels of this order are being bought');
  const labels = await buyLabels(app, tenant, seen);
  await inTenant(app, tenant, async (work) => {
    const order = await findOrder(work, seen.id);
    if (!order || !mayLeave(order)) return;
    const changes = await keepLabels(work, order, labels);
    if (changes.shipment !== undefined) await amend(work, order, changes);
  });
}

async function buyLabels(app: App, tenant: Tenant, order: Order): Promise<Labels> {
  const labels = new Map<Leg, SentLabel>();
  try {
    for (const leg of LEGS) labels.set(leg, await requestLabel(app, tenant, { order, leg }));
    return labels;
  } catch (error) {
    await inTenant(app, tenant, (work) => store.giveLeaseBack(work, order.id));
    throw error;
  }
}
