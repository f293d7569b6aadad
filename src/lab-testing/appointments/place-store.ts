import { sql } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { Insertable } from 'kysely';
import './table.ts';

/**
 * Nobody else takes a place of this slot until this work ends. To be held before the places are counted, in a
 * statement of its own: who waited for it then sees what the one before has taken.
 */
export async function lockSlot({ tx, tenant }: Work, slotIndex: Buffer): Promise<void> {
  const lock = [tenant.teamId, tenant.environment, slotIndex.toString('base64')].join('\n');
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

export interface Counted {
  readonly slotIndex: Buffer;
  /** An order does not stand in its own way. */
  readonly butOrderId: string;
  /** Places that were taken before are not counted; null counts all. */
  readonly since: Date | null;
}

export async function countPlaces(
  { tx, tenant }: Work,
  { slotIndex, butOrderId, since }: Counted,
): Promise<number> {
  const { count } = await tx
    .selectFrom('appointment_place')
    .select(sql<number>`count(*)`.as('count'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('slot_index', '=', slotIndex)
    .where('freed_at', 'is', null)
    .where('order_id', '!=', butOrderId)
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

/** How many places of each slot are held, of slots at these sites that begin from a moment on. */
export async function listHeld(
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

export type NewPlace = Omit<
  Insertable<Database['appointment_place']>,
  'team_id' | 'environment' | 'taken_at' | 'kept_at' | 'freed_at'
>;

/** A place that was asked for with this booking key before, and freed without the provider's agreement, is taken anew. */
export async function insertPlace(work: Work, place: NewPlace): Promise<void> {
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

/** Whether the order has used this booking key: the provider agreed to what was asked with it. */
export async function isUsed(
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

const placesOf = ({ tx, tenant }: Work, { id, order_id }: PlaceHolder) =>
  tx
    .updateTable('appointment_place')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('order_id', '=', order_id)
    .where('appointment_id', '=', id)
    .where('freed_at', 'is', null);

export interface PlaceHolder {
  readonly id: string;
  readonly order_id: string;
}

/** The provider agreed to what the appointment holds. */
export async function keepPlaces(work: Work, holder: PlaceHolder): Promise<void> {
  await placesOf(work, holder).set({ kept_at: work.now }).where('kept_at', 'is', null).execute();
}

/** The appointment holds the place of this booking key and no other any more. */
export async function keepOnly(work: Work, holder: PlaceHolder, keyIndex: Buffer): Promise<void> {
  await placesOf(work, holder).set({ freed_at: work.now }).where('key_index', '!=', keyIndex).execute();
  await keepPlaces(work, holder);
}

/** The place of this booking key is not wanted any more. */
export async function freePlace(work: Work, holder: PlaceHolder, keyIndex: Buffer): Promise<void> {
  await placesOf(work, holder).set({ freed_at: work.now }).where('key_index', '=', keyIndex).execute();
}

export async function freePlaces(work: Work, holder: PlaceHolder): Promise<void> {
  await placesOf(work, holder).set({ freed_at: work.now }).execute();
}
