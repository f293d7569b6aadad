import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import type { CourierWebhook } from '../../adapters/courier/port.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import { defineJob, enqueueForTenant, type Job } from '../../platform/jobs/jobs.ts';
import { SHIPMENT_LEGS } from './status.ts';
import * as store from './store.ts';
import { applyTrackingUpdates } from './apply-tracking-updates.ts';

/**
 * Verifies and stores the tracking updates that a courier pushed. They are durable when this returns, so the request
 * can be acknowledged. Updates for unknown parcels are stored too: the update may arrive before the label is stored.
 */
export async function receiveTrackingUpdates(app: App, name: string, pushed: CourierWebhook): Promise<void> {
  const courier = requireFound(
    Object.values(app.couriers).find((one) => one?.name === name),
    'Courier',
  );
  const heard = courier.parseWebhook(pushed);
  await asSystem(app.db, async (tx) => {
    for (const news of heard) {
      const one = { service: name, news, now: app.clock.now() };
      const parcel = await store.findParcelByTracking(tx, one);
      if (!parcel) {
        await store.insertUnmatchedUpdate(tx, one);
        app.log.info(
          { courier: name, news_id: news.updateId, status: news.status },
          'tracking update for an unknown parcel',
        );
        continue;
      }
      if (!(await store.insertTrackingUpdate(tx, parcel, one))) continue;
      const { tenant, orderId, leg } = parcel;
      await enqueueForTenant(tx, {
        tenant,
        job: processTrackingUpdates.name,
        input: { order_id: orderId, leg },
      });
    }
  });
}

const TrackingUpdatesInput = z.object({ order_id: z.guid(), leg: z.enum(SHIPMENT_LEGS) });

/** Applies the stored tracking updates of a parcel to its order. */
export const processTrackingUpdates: Job<App, z.output<typeof TrackingUpdatesInput>> = defineJob({
  name: 'shipments.take-news',
  input: TrackingUpdatesInput,
  run: (app, tenant, { order_id: orderId, leg }) =>
    inTenant(app, tenant, (work) => applyTrackingUpdates(work, { orderId, leg })),
});
