import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { ParcelUpdate } from '../../adapters/courier/port.ts';
import { DAY, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { isFinalParcelStatus, SHIPMENT_LEGS } from './status.ts';
import * as store from './store.ts';
import { applyTrackingUpdates } from './apply-tracking-updates.ts';

const ParcelJobInput = z.object({ order_id: z.guid(), leg: z.enum(SHIPMENT_LEGS) });
type ParcelJobInput = z.output<typeof ParcelJobInput>;

const POLL_INTERVAL_MS = DAY;
/** How long a parcel without a final status is polled. */
const TRACKING_PERIOD_MS = 90 * DAY;

/** Runs when a label was stored: applies updates that arrived before, and starts to poll the courier once a day. */
export const startParcelTracking: Job<App, ParcelJobInput> = defineJob({
  name: 'shipments.follow-parcel',
  input: ParcelJobInput,
  async run(app, tenant, { order_id: orderId, leg }) {
    const key = { orderId, leg };
    const parcel = await readTenant(app, tenant, (work) => store.findParcel(work, key));
    if (!parcel) return;
    await asSystem(app.db, async (tx) => {
      for (const news of await store.takeUnmatchedUpdates(tx, parcel)) {
        await store.insertTrackingUpdate(tx, { tenant, ...key }, { news, now: app.clock.now() });
      }
    });
    await inTenant(app, tenant, async (work) => {
      await applyTrackingUpdates(work, key);
      await setTimer(work, pollParcel, toPollTimer(key, later(work.now, POLL_INTERVAL_MS)));
    });
  },
});

const toPollTimer = ({ orderId, leg }: store.ParcelKey, dueAt: Date) => ({
  key: `${orderId}/${leg}`,
  dueAt,
  input: { order_id: orderId, leg },
});

/** Polls the courier for updates that may have been lost, until the parcel has a final status. */
export const pollParcel: Job<App, ParcelJobInput> = defineJob({
  name: 'shipments.look-after-parcel',
  input: ParcelJobInput,
  canWait: true,
  async run(app, tenant, { order_id: orderId, leg }) {
    const key = { orderId, leg };
    const parcel = await readTenant(app, tenant, (work) => store.findParcel(work, key));
    if (!parcel || isFinalParcelStatus(parcel.status)) return;
    const news = await fetchTracking(app, tenant, parcel);
    await inTenant(app, tenant, async (work) => {
      if (news) await store.insertTrackingUpdate(work.tx, { tenant, ...key }, { news, now: work.now });
      await applyTrackingUpdates(work, key);
      const next = later(work.now, POLL_INTERVAL_MS);
      if (next < later(parcel.created_at, TRACKING_PERIOD_MS))
        await setTimer(work, pollParcel, toPollTimer(key, next));
    });
  },
});

/** The courier's current status; undefined if the courier cannot be reached. */
async function fetchTracking(
  app: App,
  tenant: Tenant,
  parcel: store.Parcel,
): Promise<ParcelUpdate | undefined> {
  const courier = app.couriers[tenant.environment];
  if (courier?.name !== parcel.service) return undefined;
  try {
    return await courier.track({ courier: parcel.courier, trackingNumber: parcel.tracking_number });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    app.log.warn(
      { order_id: parcel.order_id, leg: parcel.leg, reason: error.message },
      'courier tracking request failed',
    );
    return undefined;
  }
}
