import type { Selectable } from 'kysely';
import type { ParcelNews } from '../../adapters/courier/port.ts';
import { eventData } from '../../events/events.ts';
import { DAY, later } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { ENVIRONMENTS, type Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { Leg } from './status.ts';
import type { Outcome } from './table.ts';
import './table.ts';

export type Parcel = Selectable<Database['parcel']>;
export type KeptNews = Selectable<Database['parcel_news']>;

export interface ParcelKey {
  readonly orderId: string;
  readonly leg: Leg;
}

export type NewParcel = Pick<
  Parcel,
  'order_id' | 'leg' | 'service' | 'courier' | 'tracking_number' | 'tracker_id'
>;

/** Whether the labels of the order may be bought by us: nobody else is at it. */
export async function leaseLabels(work: Work, orderId: string, until: Date): Promise<boolean> {
  const leased = await work.tx
    .insertInto('label_lease')
    .values({ ...tenantColumns(work.tenant), order_id: orderId, leased_until: until })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'order_id'])
        .doUpdateSet({ leased_until: until })
        .where('label_lease.leased_until', '<=', work.now),
    )
    .returning('order_id')
    .executeTakeFirst();
  return leased !== undefined;
}

/** Lets the next one try at once, where buying came to nothing. */
export async function giveLeaseBack({ tx, tenant }: Work, orderId: string): Promise<void> {
  await tx
    .deleteFrom('label_lease')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId)
    .execute();
}

/** A parcel has one label: the first that is kept stays. False when there was one. */
export async function insertParcel(work: Work, parcel: NewParcel): Promise<boolean> {
  const inserted = await work.tx
    .insertInto('parcel')
    .values({ ...tenantColumns(work.tenant), ...parcel, status: null, heard_at: null, created_at: work.now })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment', 'order_id', 'leg']).doNothing())
    .returning('leg')
    .executeTakeFirst();
  return inserted !== undefined;
}

const parcels = ({ tx, tenant }: Work, orderId: string) =>
  tx
    .selectFrom('parcel')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId);

export const findParcel = (work: Work, { orderId, leg }: ParcelKey): Promise<Parcel | undefined> =>
  parcels(work, orderId).where('leg', '=', leg).executeTakeFirst();

/** The parcel, for one who changes it; others wait until this work is done. */
export const lockParcel = (work: Work, { orderId, leg }: ParcelKey): Promise<Parcel | undefined> =>
  parcels(work, orderId).where('leg', '=', leg).forUpdate().executeTakeFirst();

export const listWaitingParcels = (work: Work, orderId: string): Promise<Parcel[]> =>
  parcels(work, orderId).where('is_waiting', '=', true).execute();

export async function changeParcel(
  { tx, tenant }: Work,
  { orderId, leg }: ParcelKey,
  change: Pick<Parcel, 'status' | 'heard_at' | 'is_waiting'>,
): Promise<void> {
  await tx
    .updateTable('parcel')
    .set(change)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId)
    .where('leg', '=', leg)
    .execute();
}

/** News that nobody has looked at, oldest first. */
export const listUnseenNews = ({ tx, tenant }: Work, { orderId, leg }: ParcelKey): Promise<KeptNews[]> =>
  tx
    .selectFrom('parcel_news')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId)
    .where('leg', '=', leg)
    .where('outcome', 'is', null)
    .orderBy('at')
    .orderBy('received_at')
    .orderBy('news_id')
    .execute();

export async function markNews({ tx, tenant }: Work, news: KeptNews, outcome: Outcome): Promise<void> {
  await tx
    .updateTable('parcel_news')
    .set({ outcome })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', news.order_id)
    .where('leg', '=', news.leg)
    .where('news_id', '=', news.news_id)
    .execute();
}

/** A parcel whose tenant the news have found. */
export interface FoundParcel extends ParcelKey {
  readonly tenant: Tenant;
}

export interface HeardNews {
  readonly service: string;
  readonly news: ParcelNews;
  readonly now: Date;
}

/**
 * Whose parcel the news are about, over all tenants; for the system. By the tracker where there is one, else by
 * the number: carriers use numbers again after a while, so the newest parcel is meant.
 */
export async function findParcelOf(tx: Tx, { service, news }: HeardNews): Promise<FoundParcel | undefined> {
  const named = tx
    .selectFrom('parcel')
    .select(['team_id', 'environment', 'order_id', 'leg'])
    .where('service', '=', service)
    .orderBy('created_at', 'desc')
    .limit(1);
  const byTracker =
    news.trackerId === null
      ? undefined
      : await named.where('tracker_id', '=', news.trackerId).executeTakeFirst();
  const row =
    byTracker ?? (await named.where('tracking_number', '=', news.trackingNumber).executeTakeFirst());
  const environment = ENVIRONMENTS.find((name) => name === row?.environment);
  if (!row || !environment) return undefined;
  return { tenant: { teamId: row.team_id, environment }, orderId: row.order_id, leg: row.leg };
}

const newsColumns = (news: ParcelNews, receivedAt: Date) => ({
  news_id: news.newsId,
  status: news.status,
  said: news.said,
  at: news.at,
  received_at: receivedAt,
});

/** Keeps the news with the parcel; false when they are there already. */
export async function insertNews(
  tx: Tx,
  { tenant, orderId, leg }: FoundParcel,
  { news, now }: Pick<HeardNews, 'news' | 'now'>,
): Promise<boolean> {
  const row = { ...tenantColumns(tenant), order_id: orderId, leg, ...newsColumns(news, now), outcome: null };
  const inserted = await tx
    .insertInto('parcel_news')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('news_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

const INBOX_DAYS = 90;

/** Keeps news of a parcel that nobody knows, and lets go of such as nobody asked for in a long time. */
export async function insertUnknown(tx: Tx, { service, news, now }: HeardNews): Promise<void> {
  const names = { service, tracker_id: news.trackerId, tracking_number: news.trackingNumber };
  await tx
    .insertInto('courier_inbox')
    .values({ ...names, ...newsColumns(news, now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .deleteFrom('courier_inbox')
    .where('received_at', '<', later(now, -INBOX_DAYS * DAY))
    .execute();
}

/** Takes out what came of this parcel before it was known. */
export async function takeUnknown(
  tx: Tx,
  { service, tracker_id, tracking_number }: Parcel,
): Promise<ParcelNews[]> {
  const rows = await tx
    .deleteFrom('courier_inbox')
    .where('service', '=', service)
    .where((eb) =>
      tracker_id === null
        ? eb('tracking_number', '=', tracking_number)
        : eb.or([
            eb('tracker_id', '=', tracker_id),
            eb.and([eb('tracker_id', 'is', null), eb('tracking_number', '=', tracking_number)]),
          ]),
    )
    .returningAll()
    .execute();
  return rows.map((row) => ({
    newsId: row.news_id,
    trackerId: row.tracker_id,
    trackingNumber: row.tracking_number,
    status: row.status,
    said: row.said,
    at: row.at,
  }));
}

/** What an event of this tenant says, or undefined when it was erased. */
export async function findEventData(work: Work, eventId: string): Promise<unknown> {
  const row = await work.tx
    .selectFrom('event')
    .select(['event_type', 'team_id', 'user_id', 'client_user_id', 'data'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row && eventData(work, row);
}
