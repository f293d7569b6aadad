import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { precompileQuery } from '../../platform/db/precompiled-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { Tenant } from '../../platform/tenant.ts';
import './table.ts';

type CachedAvailabilityRow = Selectable<Database['kept_availability']>;
/** The columns that decide whether the cached slots are usable. */
export type CachedAvailabilityHead = Pick<
  CachedAvailabilityRow,
  'place_code' | 'place_hash' | 'first_day' | 'days' | 'asked_at' | 'refreshed_at'
>;
export type NewCachedAvailability = Omit<CachedAvailabilityRow, 'team_id' | 'environment' | 'asked_at'>;

const readHeads = precompileQuery<
  Tenant & { provider: string; codes: readonly string[] },
  CachedAvailabilityHead
>((tx, { teamId, environment, provider, codes }) =>
  tx
    .selectFrom('kept_availability')
    .select(['place_code', 'place_hash', 'first_day', 'days', 'asked_at', 'refreshed_at'])
    .where('team_id', '=', teamId)
    .where('environment', '=', environment)
    .where('provider', '=', provider)
    .where(sql<boolean>`place_code = any(${codes}::text[])`),
);

export const listHeads = (
  { tx, tenant }: Work,
  provider: string,
  codes: readonly string[],
): Promise<CachedAvailabilityHead[]> => readHeads(tx, { ...tenant, provider, codes });

const selectCached = ({ tx, tenant }: Work, provider: string) =>
  tx
    .selectFrom('kept_availability')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider);

export const listSlots = (
  work: Work,
  provider: string,
  codes: readonly string[],
): Promise<(CachedAvailabilityHead & Pick<CachedAvailabilityRow, 'slots'>)[]> =>
  selectCached(work, provider)
    .select(['place_code', 'place_hash', 'first_day', 'days', 'asked_at', 'refreshed_at', 'slots'])
    .where('place_code', 'in', [...codes])
    .execute();

/** The places to refresh, most recently requested first. */
export const listCachedPlaces = (
  work: Work,
  provider: string,
): Promise<Pick<CachedAvailabilityRow, 'place'>[]> =>
  selectCached(work, provider).select('place').orderBy('asked_at', 'desc').orderBy('place_code').execute();

/**
 * Caches requested slots. A row that was refreshed more recently is kept, unless its timestamp is in the future, which
 * happens after a clock was corrected.
 */
export async function saveRequested(
  { tx, tenant, now }: Work,
  rows: readonly NewCachedAvailability[],
): Promise<void> {
  // A fixed order avoids deadlocks between concurrent writers of the same places.
  const sorted = rows.toSorted((one, other) => (one.place_code < other.place_code ? -1 : 1));
  await tx
    .insertInto('kept_availability')
    .values(sorted.map((row) => ({ ...tenantColumns(tenant), ...row, asked_at: now })))
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'provider', 'place_code'])
        .doUpdateSet(({ ref }) => ({
          place: ref('excluded.place'),
          place_hash: ref('excluded.place_hash'),
          first_day: ref('excluded.first_day'),
          days: ref('excluded.days'),
          slots: ref('excluded.slots'),
          asked_at: ref('excluded.asked_at'),
          refreshed_at: ref('excluded.refreshed_at'),
        }))
        .where(({ eb, or, ref }) =>
          or([
            eb('kept_availability.refreshed_at', '<', ref('excluded.refreshed_at')),
            eb('kept_availability.refreshed_at', '>', now),
          ]),
        ),
    )
    .execute();
}

/** Updates places that are still cached and whose description has not changed since the query. */
export async function saveRefreshed(
  { tx, tenant, now }: Work,
  rows: readonly NewCachedAvailability[],
): Promise<void> {
  const sorted = rows.toSorted((one, other) => (one.place_code < other.place_code ? -1 : 1));
  for (const { provider, place_code, place_hash, first_day, days, slots, refreshed_at } of sorted) {
    await tx
      .updateTable('kept_availability')
      .set({ first_day, days, slots, refreshed_at })
      .where('team_id', '=', tenant.teamId)
      .where('environment', '=', tenant.environment)
      .where('provider', '=', provider)
      .where('place_code', '=', place_code)
      .where('place_hash', '=', place_hash)
      .where(({ eb, or }) => or([eb('refreshed_at', '<', refreshed_at), eb('refreshed_at', '>', now)]))
      .execute();
  }
}

/** Marks these places as requested now. */
export async function touchCached(
  { tx, tenant, now }: Work,
  provider: string,
  codes: readonly string[],
): Promise<void> {
  await tx
    .updateTable('kept_availability')
    .set({ asked_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .where('place_code', 'in', [...codes])
    .execute();
}

export async function deleteRequestedBefore(
  { tx, tenant }: Work,
  provider: string,
  moment: Date,
): Promise<void> {
  await tx
    .deleteFrom('kept_availability')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .where('asked_at', '<', moment)
    .execute();
}

/** Deletes the least recently requested places beyond the limit. */
export async function deleteBeyondLimit(work: Work, provider: string, limit: number): Promise<void> {
  const beyond = selectCached(work, provider)
    .select('place_code')
    .orderBy('asked_at', 'desc')
    .orderBy('place_code')
    .offset(limit);
  await work.tx
    .deleteFrom('kept_availability')
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('provider', '=', provider)
    .where('place_code', 'in', beyond)
    .execute();
}

/**
 * Claims the next round. True if there is none, if it has been overdue since before `lostBefore`, or if it is later
 * than `nextAt` because a clock was corrected.
 */
export async function claimRound(
  work: Work,
  provider: string,
  { nextAt, lostBefore }: { nextAt: Date; lostBefore: Date },
): Promise<boolean> {
  const taken = await work.tx
    .insertInto('availability_round')
    .values({ ...tenantColumns(work.tenant), provider, next_at: nextAt })
    .onConflict((conflict) =>
      conflict
        .columns(['team_id', 'environment', 'provider'])
        .doUpdateSet({ next_at: nextAt })
        .where(({ eb, or }) =>
          or([
            eb('availability_round.next_at', '<', lostBefore),
            eb('availability_round.next_at', '>', nextAt),
          ]),
        ),
    )
    .returning('provider')
    .executeTakeFirst();
  return taken !== undefined;
}

/** Moves the scheduled round. */
export async function postponeRound({ tx, tenant }: Work, provider: string, nextAt: Date): Promise<void> {
  await tx
    .updateTable('availability_round')
    .set({ next_at: nextAt })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .execute();
}

export async function deleteRound({ tx, tenant }: Work, provider: string): Promise<void> {
  await tx
    .deleteFrom('availability_round')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .execute();
}
