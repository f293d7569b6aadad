import { z } from 'zod';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import type { Pushed } from '../../adapters/courier/port.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { found } from '../../platform/errors.ts';
import { defineJob, enqueueAs, type Job } from '../../platform/jobs/jobs.ts';
import { LEGS } from './status.ts';
import * as store from './store.ts';
import { takeNews } from './take-news.ts';

/**
 * Writes down what a courier pushed, after its signature was checked; once this has come back it may be
 * acknowledged. News of a parcel that nobody knows are kept, and no mistake of the sender.
 */
export async function hearCourier(app: App, name: string, pushed: Pushed): Promise<void> {
  const courier = found(
    Object.values(app.couriers).find((one) => one?.name === name),
    'Courier',
  );
  const heard = courier.hear(pushed);
  await asSystem(app.db, async (tx) => {
    for (const news of heard) {
      const one = { service: name, news, now: app.clock.now() };
      const parcel = await store.findParcelOf(tx, one);
      if (!parcel) {
        await store.insertUnknown(tx, one);
        app.log.info(
          { courier: name, news_id: news.newsId, status: news.status },
          'news of an unknown parcel',
        );
        continue;
      }
      if (!(await store.insertNews(tx, parcel, one))) continue;
      const { tenant, orderId, leg } = parcel;
      await enqueueAs(tx, { tenant, job: takeParcelNews.name, input: { order_id: orderId, leg } });
    }
  });
}

const Input = z.object({ order_id: z.guid(), leg: z.enum(LEGS) });

/** Moves an order by what was heard of one of its parcels. */
export const takeParcelNews: Job<App, z.output<typeof Input>> = defineJob({
  name: 'shipments.take-news',
  input: Input,
  run: (app, tenant, { order_id: orderId, leg }) =>
    inTenant(app, tenant, (work) => takeNews(work, { orderId, leg })),
});
