import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { readyQuery } from '../../platform/db/ready-query.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type KeptRow = Selectable<Database['kept_availability']>;
/** Everything but the slots and the place: what decides whether the slots are wanted at all. */
export type KeptHead = Pick<
  KeptRow,
  'place_code' | 'place_hash' | 'first_day' | 'days' | 'asked_at' | 'refreshed_at'
>;
export type NewKept = Omit<KeptRow, 'team_id' | 'environment' | 'asked_at'>;

const heads = readyQuery<
  { teamId: string; environment: string; provider: string; codes: readonly string[] },
  KeptHead
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
): Promise<KeptHead[]> => heads(tx, { ...tenant, provider, codes });

const kept = ({ tx, tenant }: Work, provider: string) =>
  tx
    .selectFrom('kept_availability')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider);

export const listSlots = (
  work: Work,
  provider: string,
  codes: readonly string[],
): Promise<(KeptHead & Pick<KeptRow, 'slots'>)[]> =>
  kept(work, provider)
    .select(['place_code', 'place_hash', 'first_day', 'days', 'asked_at', 'refreshed_at', 'slots'])
    .where('place_code', 'in', [...codes])
    .execute();

/** The places to be asked about anew, those first that somebody wanted last. */
export const listPlaces = (work: Work, provider: string): Promise<Pick<KeptRow, 'place'>[]> =>
  kept(work, provider).select('place').orderBy('asked_at', 'desc').orderBy('place_code').execute();

/**
 * Keeps what somebody asked for. What was refreshed meanwhile stays as it is, unless that is yet to come: a clock that
 * was wrong may have been put right.
 */
export async function keepAsked({ tx, tenant, now }: Work, rows: readonly NewKept[]): Promise<void> {
  // Always in one order, so that two who keep the same places do not wait for each other.
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

/** Writes down the answers for places that are still kept, and are as they were when they were asked about. */
export async function refreshKept({ tx, tenant, now }: Work, rows: readonly NewKept[]): Promise<void> {
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

/** Somebody still wants these. */
export async function touchKept(
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

export async function dropAskedBefore({ tx, tenant }: Work, provider: string, moment: Date): Promise<void> {
  await tx
    .deleteFrom('kept_availability')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .where('asked_at', '<', moment)
    .execute();
}

/** Drops what is kept beyond so many places, those that nobody has asked for the longest. */
export async function dropBeyond(work: Work, provider: string, limit: number): Promise<void> {
  const beyond = kept(work, provider)
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
 * Whether the next round is ours to set: there is none, the one that there was is overdue since `lostBefore`, or it is
 * further ahead than ours, because a clock was put right.
 */
export async function takeRound(
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

/** The round that is set comes at another moment. */
export async function moveRound({ tx, tenant }: Work, provider: string, nextAt: Date): Promise<void> {
  await tx
    .updateTable('availability_round')
    .set({ next_at: nextAt })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .execute();
}

export async function dropRound({ tx, tenant }: Work, provider: string): Promise<void> {
  await tx
    .deleteFrom('availability_round')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('provider', '=', provider)
    .execute();
}
