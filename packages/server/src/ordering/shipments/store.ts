import type { Selectable } from 'kysely';
import type { ParcelUpdate } from '../../adapters/courier/port.ts';
import { openEventData } from '../../events/events.ts';
import { DAY, later } from '../../platform/clock.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns, toTenant } from '../../platform/db/tenant-rows.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import type { ShipmentLeg } from './status.ts';
import type { TrackingUpdateOutcome } from './table.ts';
import './table.ts';

export type Parcel = Selectable<Database['parcel']>;
export type TrackingUpdateRow = Selectable<Database['parcel_news']>;

export interface ParcelKey {
  readonly orderId: string;
  readonly leg: ShipmentLeg;
}

type NewParcel = Pick<Parcel, 'order_id' | 'leg' | 'service' | 'courier' | 'tracking_number' | 'tracker_id'>;

/** Takes the lease for buying the order's labels; false while another process holds it. */
export async function acquireLabelLease(work: Work, orderId: string, until: Date): Promise<boolean> {
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

/** Releases the lease after a failed purchase, so that the next attempt can start at once. */
export async function releaseLabelLease({ tx, tenant }: Work, orderId: string): Promise<void> {
  await tx
    .deleteFrom('label_lease')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId)
    .execute();
}

/** Stores a parcel; false if the leg already has one. The first label wins. */
export async function insertParcel(work: Work, parcel: NewParcel): Promise<boolean> {
  const inserted = await work.tx
    .insertInto('parcel')
    .values({ ...tenantColumns(work.tenant), ...parcel, status: null, heard_at: null, created_at: work.now })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment', 'order_id', 'leg']).doNothing())
    .returning('leg')
    .executeTakeFirst();
  return inserted !== undefined;
}

const selectParcels = ({ tx, tenant }: Work, orderId: string) =>
  tx
    .selectFrom('parcel')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId);

export const findParcel = (work: Work, { orderId, leg }: ParcelKey): Promise<Parcel | undefined> =>
  selectParcels(work, orderId).where('leg', '=', leg).executeTakeFirst();

/** The parcel, locked until this work ends. */
export const lockParcel = (work: Work, { orderId, leg }: ParcelKey): Promise<Parcel | undefined> =>
  selectParcels(work, orderId).where('leg', '=', leg).forUpdate().executeTakeFirst();

export const listWaitingParcels = (work: Work, orderId: string): Promise<Parcel[]> =>
  selectParcels(work, orderId).where('is_waiting', '=', true).execute();

export async function updateParcel(
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

/** Tracking updates that have not been processed, oldest first. */
export const listPendingUpdates = (
  { tx, tenant }: Work,
  { orderId, leg }: ParcelKey,
): Promise<TrackingUpdateRow[]> =>
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

export async function setUpdateOutcome(
  { tx, tenant }: Work,
  news: TrackingUpdateRow,
  outcome: TrackingUpdateOutcome,
): Promise<void> {
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

/** A parcel key with its tenant. */
interface TenantParcelKey extends ParcelKey {
  readonly tenant: Tenant;
}

interface ReceivedTrackingUpdate {
  readonly service: string;
  readonly news: ParcelUpdate;
  readonly now: Date;
}

/**
 * Finds the parcel of a tracking update across all tenants (system transaction): by tracker id if there is one, else by
 * tracking number. Carriers reuse numbers, so the newest parcel is taken.
 */
export async function findParcelByTracking(
  tx: Tx,
  { service, news }: ReceivedTrackingUpdate,
): Promise<TenantParcelKey | undefined> {
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
  return row && { tenant: toTenant(row), orderId: row.order_id, leg: row.leg };
}

const updateColumns = (news: ParcelUpdate, receivedAt: Date) => ({
  news_id: news.updateId,
  status: news.status,
  said: news.said,
  at: news.at,
  received_at: receivedAt,
});

/** Stores a tracking update with its parcel; false for a duplicate. */
export async function insertTrackingUpdate(
  tx: Tx,
  { tenant, orderId, leg }: TenantParcelKey,
  { news, now }: Pick<ReceivedTrackingUpdate, 'news' | 'now'>,
): Promise<boolean> {
  const row = {
    ...tenantColumns(tenant),
    order_id: orderId,
    leg,
    ...updateColumns(news, now),
    outcome: null,
  };
  const inserted = await tx
    .insertInto('parcel_news')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .returning('news_id')
    .executeTakeFirst();
  return inserted !== undefined;
}

const UNMATCHED_RETENTION_DAYS = 90;

/** Stores an update for an unknown parcel, and deletes such updates after 90 days. */
export async function insertUnmatchedUpdate(
  tx: Tx,
  { service, news, now }: ReceivedTrackingUpdate,
): Promise<void> {
  const names = { service, tracker_id: news.trackerId, tracking_number: news.trackingNumber };
  await tx
    .insertInto('courier_inbox')
    .values({ ...names, ...updateColumns(news, now) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await tx
    .deleteFrom('courier_inbox')
    .where('received_at', '<', later(now, -UNMATCHED_RETENTION_DAYS * DAY))
    .execute();
}

/** Removes and returns the updates that arrived before the parcel was known. */
export async function takeUnmatchedUpdates(
  tx: Tx,
  { service, tracker_id, tracking_number }: Parcel,
): Promise<ParcelUpdate[]> {
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
    updateId: row.news_id,
    trackerId: row.tracker_id,
    trackingNumber: row.tracking_number,
    status: row.status,
    said: row.said,
    at: row.at,
  }));
}

/** The data of an event of this tenant; undefined if it was erased. */
export async function findEventData(work: Work, eventId: string): Promise<unknown> {
  const row = await work.tx
    .selectFrom('event')
    .select(['event_type', 'team_id', 'user_id', 'client_user_id', 'data'])
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', eventId)
    .executeTakeFirst();
  return row && openEventData(work, row);
}
