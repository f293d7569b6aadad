import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant, readTenant } from '../../app.ts';
import type { ParcelNews } from '../../adapters/courier/port.ts';
import { DAY, later } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { isSettled, LEGS } from './status.ts';
import * as store from './store.ts';
import { takeNews } from './take-news.ts';

const Input = z.object({ order_id: z.guid(), leg: z.enum(LEGS) });
type Input = z.output<typeof Input>;

const LOOK_EVERY_MS = DAY;
/** A courier that says nothing for so long has nothing to say. */
const FOLLOWED_FOR_MS = 90 * DAY;

/** A label was kept: what came of its parcel before is taken up, and from now on we look once a day by ourselves. */
export const followParcel: Job<App, Input> = defineJob({
  name: 'shipments.follow-parcel',
  input: Input,
  async run(app, tenant, { order_id: orderId, leg }) {
    const key = { orderId, leg };
    const parcel = await readTenant(app, tenant, (work) => store.findParcel(work, key));
    if (!parcel) return;
    await asSystem(app.db, async (tx) => {
      for (const news of await store.takeUnknown(tx, parcel)) {
        await store.insertNews(tx, { tenant, ...key }, { news, now: app.clock.now() });
      }
    });
    await inTenant(app, tenant, async (work) => {
      await takeNews(work, key);
      await setTimer(work, lookAfterParcel, lookAt(key, later(work.now, LOOK_EVERY_MS)));
    });
  },
});

const lookAt = ({ orderId, leg }: store.ParcelKey, dueAt: Date) => ({
  key: `${orderId}/${leg}`,
  dueAt,
  input: { order_id: orderId, leg },
});

/** Asks the courier for what it may have pushed in vain, until the parcel has come to its end. */
export const lookAfterParcel: Job<App, Input> = defineJob({
  name: 'shipments.look-after-parcel',
  input: Input,
  canWait: true,
  async run(app, tenant, { order_id: orderId, leg }) {
    const key = { orderId, leg };
    const parcel = await readTenant(app, tenant, (work) => store.findParcel(work, key));
    if (!parcel || isSettled(parcel.status)) return;
    const news = await ask(app, tenant, parcel);
    await inTenant(app, tenant, async (work) => {
      if (news) await store.insertNews(work.tx, { tenant, ...key }, { news, now: work.now });
      await takeNews(work, key);
      const next = later(work.now, LOOK_EVERY_MS);
      if (next < later(parcel.created_at, FOLLOWED_FOR_MS))
        await setTimer(work, lookAfterParcel, lookAt(key, next));
    });
  },
});

/** What the courier says now; nothing when it cannot be asked today. */
async function ask(app: App, tenant: Tenant, parcel: store.Parcel): Promise<ParcelNews | undefined> {
  const courier = app.couriers[tenant.environment];
  if (courier?.name !== parcel.service) return undefined;
  try {
    return await courier.track({ courier: parcel.courier, trackingNumber: parcel.tracking_number });
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    app.log.warn(
      { order_id: parcel.order_id, leg: parcel.leg, reason: error.message },
      'courier did not answer',
    );
    return undefined;
  }
}
