import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { EventHandler } from '../../events/events.ts';
import { defineJob, enqueueForTenant, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { findOrder, type Order } from '../orders/orders.ts';
import { orderCreated, orderUpdated } from '../orders/events.ts';
import { sendKit } from './send-kit.ts';
import * as store from './store.ts';
import { applyTrackingUpdates } from './apply-tracking-updates.ts';

const ORDER_EVENT_TYPES = new Set([orderCreated.type, orderUpdated.type]);

/**
 * Handles order events where a courier is connected in production: buys labels for a kit that is ready to ship, and
 * retries tracking updates that the order could not accept before. In sandbox, the simulation ships the kit.
 */
export const shipmentEventHandler: EventHandler<App> = {
  name: 'shipments.attend-order',
  handle: async (app, tx, events) => {
    for (const { tenant, id, type } of events) {
      if (
        tenant.environment === 'sandbox' ||
        !app.couriers[tenant.environment] ||
        !ORDER_EVENT_TYPES.has(type)
      )
        continue;
      await enqueueForTenant(tx, { tenant, job: handleOrderEvent.name, input: { event_id: id } });
    }
  },
};

const OrderEventData = z.object({
  id: z.guid(),
  details: z.object({ type: z.string() }),
  notes: z.string().nullable(),
});
const HandleOrderEventInput = z.object({ event_id: z.guid() });

export const handleOrderEvent: Job<App, z.output<typeof HandleOrderEventInput>> = defineJob({
  name: 'shipments.attend-order',
  input: HandleOrderEventInput,
  async run(app, tenant, { event_id }) {
    const order = await readTenant(app, tenant, (work) => findKitOrder(work, event_id));
    if (!order) return;
    await sendKit(app, tenant, order);
    await inTenant(app, tenant, async (work) => {
      for (const { leg } of await store.listWaitingParcels(work, order.id)) {
        await applyTrackingUpdates(work, { orderId: order.id, leg });
      }
    });
  },
});

/**
 * The current order of an event, if it is a kit order. Events of waiting orders (with `notes`) are skipped: the code
 * that made the order wait schedules its own retry, and each failed retry would otherwise trigger the next one.
 */
async function findKitOrder(work: Work, eventId: string): Promise<Order | undefined> {
  const told = OrderEventData.safeParse(await store.findEventData(work, eventId));
  if (!told.success || told.data.details.type !== 'testkit' || told.data.notes !== null) return undefined;
  return findOrder(work, told.data.id);
}
