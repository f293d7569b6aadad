import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { Insertable } from 'kysely';
import './table.ts';

/*
 * The ledger of held places. Each row holds one patient's place in a slot for one booking key: `taken_at` while the
 * provider is asked, `kept_at` once it agreed, `freed_at` when released. It prevents overbooking between two requests
 * to the provider.
 */

/**
 * Locks the slot until this work ends. Call before counting, in a statement of its own, so that the count sees the
 * places that a concurrent transaction has committed.
 */
export async function lockSlot({ tx, tenant }: Work, slotIndex: Buffer): Promise<void> {
  const lock = [tenant.teamId, tenant.environment, slotIndex.toString('base64')].join('\n');
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

interface PlaceCountFilter {
  readonly slotIndex: Buffer;
  /** Places of this order are not counted. */
  readonly exceptOrderId: string;
  /** Counts only places taken since then; null counts all. */
  readonly since: Date | null;
}

export async function countPlaces(
  { tx, tenant }: Work,
  { slotIndex, exceptOrderId, since }: PlaceCountFilter,
): Promise<number> {
  const { count } = await tx
    .selectFrom('appointment_place')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('slot_index', '=', slotIndex)
    .where('freed_at', 'is', null)
    .where('order_id', '!=', exceptOrderId)
    .$if(since !== null, (query) => query.where('taken_at', '>=', since ?? new Date(0)))
    .executeTakeFirstOrThrow();
  return count;
}

export interface HeldSlot {
  readonly siteIndex: Buffer;
  readonly slotIndex: Buffer;
  readonly startAt: Date;
  readonly places: number;
}

/** Number of held places per slot, for slots at these sites that begin at `from` or later. */
export async function listHeldSlots(
  { tx, tenant }: Work,
  { sites, from, since }: { sites: readonly Buffer[]; from: Date; since: Date | null },
): Promise<HeldSlot[]> {
  if (sites.length === 0) return [];
  const rows = await tx
    .selectFrom('appointment_place')
    .select(['site_index', 'slot_index', 'start_at', sql<number>`count(*)`.as('places')])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('site_index', 'in', [...sites])
    .where('start_at', '>=', from)
    .where('freed_at', 'is', null)
    .$if(since !== null, (query) => query.where('taken_at', '>=', since ?? new Date(0)))
    .groupBy(['site_index', 'slot_index', 'start_at'])
    .execute();
  return rows.map((row) => ({
    siteIndex: row.site_index,
    slotIndex: row.slot_index,
    startAt: row.start_at,
    places: row.places,
  }));
}

type NewHeldPlace = Omit<
  Insertable<Database['appointment_place']>,
  'team_id' | 'environment' | 'taken_at' | 'kept_at' | 'freed_at'
>;

/** Holds a place. A released place with the same booking key is held again. */
export async function insertHeldPlace(work: Work, place: NewHeldPlace): Promise<void> {
  await work.tx
    .insertInto('appointment_place')
    .values({
      ...tenantColumns(work.tenant),
      ...place,
      taken_at: work.now,
      kept_at: null,
      freed_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'order_id', 'appointment_id', 'key_index'])
        .doUpdateSet({ taken_at: work.now, kept_at: null, freed_at: null }),
    )
    .execute();
}

/** Whether the order has used this booking key successfully: the provider agreed to the booking. */
export async function isBookingKeyUsed(
  { tx, tenant }: Work,
  { orderId, keyIndex }: { orderId: string; keyIndex: Buffer },
): Promise<boolean> {
  const row = await tx
    .selectFrom('appointment_place')
    .select('appointment_id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', orderId)
    .where('key_index', '=', keyIndex)
    .where('kept_at', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

const selectHeldPlaces = ({ tx, tenant }: Work, { id, order_id }: PlaceOwner) =>
  tx
    .updateTable('appointment_place')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', order_id)
    .where('appointment_id', '=', id)
    .where('freed_at', 'is', null);

export interface PlaceOwner {
  readonly id: string;
  readonly order_id: string;
}

/** Marks the held places as agreed with the provider. */
export async function confirmPlaces(work: Work, holder: PlaceOwner): Promise<void> {
  await selectHeldPlaces(work, holder).set({ kept_at: work.now }).where('kept_at', 'is', null).execute();
}

/** Keeps the place of this booking key, and releases all others of the appointment. */
export async function confirmOnlyPlace(work: Work, holder: PlaceOwner, keyIndex: Buffer): Promise<void> {
  await selectHeldPlaces(work, holder)
    .set({ freed_at: work.now })
    .where('key_index', '!=', keyIndex)
    .execute();
  await confirmPlaces(work, holder);
}

/** Releases the place of this booking key. */
export async function releasePlace(work: Work, holder: PlaceOwner, keyIndex: Buffer): Promise<void> {
  await selectHeldPlaces(work, holder)
    .set({ freed_at: work.now })
    .where('key_index', '=', keyIndex)
    .execute();
}

export async function releasePlaces(work: Work, holder: PlaceOwner): Promise<void> {
  await selectHeldPlaces(work, holder).set({ freed_at: work.now }).execute();
}
