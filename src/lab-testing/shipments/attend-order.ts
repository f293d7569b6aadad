import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { Reaction } from '../../events/events.ts';
import { defineJob, enqueueAs, type Job } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { findOrder, type Order } from '../orders/orders.ts';
import { orderCreated, orderUpdated } from '../orders/events.ts';
import { sendKit } from './send-kit.ts';
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

const Told = z.object({
  id: z.guid(),
  details: z.object({ type: z.string() }),
  notes: z.string().nullable(),
});
const Input = z.object({ event_id: z.guid() });

export const attendOrder: Job<App, z.output<typeof Input>> = defineJob({
  name: 'shipments.attend-order',
  input: Input,
  async run(app, tenant, { event_id }) {
    const order = await readTenant(app, tenant, (work) => findKit(work, event_id));
    if (!order) return;
    await sendKit(app, tenant, order);
    await inTenant(app, tenant, async (work) => {
      for (const { leg } of await store.listWaitingParcels(work, order.id)) {
        await takeNews(work, { orderId: order.id, leg });
      }
    });
  },
});

/**
 * The order that an event told of, as it is now, if it is one of a kit. That it waits for something is no news here:
 * whoever wrote that down tries again by himself, and a kit would be tried the more often the more it is refused.
 */
async function findKit(work: Work, eventId: string): Promise<Order | undefined> {
  const told = Told.safeParse(await store.findEventData(work, eventId));
  if (!told.success || told.data.details.type !== 'testkit' || told.data.notes !== null) return undefined;
  return findOrder(work, told.data.id);
}
