import { sql } from 'kysely';
import { DAY, isoDay, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { RawSummary, Summary, SummaryRow } from './record.ts';
import type { SummedResource } from '../readings.ts';
import './table.ts';

const BODY_PLACE = 'wearable_summary.body';
const RAW_PLACE = 'wearable_summary.raw';

/** A summary as it is to be kept. */
export interface NewSummary {
  readonly id: string;
  readonly resource: SummedResource;
  readonly provider: string;
  readonly key: string;
  readonly sourceId: number;
  readonly sourceType: string;
  readonly appId: string | null;
  readonly deviceId: string | null;
  readonly day: string;
  readonly at: Date;
  readonly body: string;
  readonly raw: string | null;
}

export interface PutRow {
  readonly id: string;
  readonly change: 'created' | 'updated';
  readonly created_at: Date;
  readonly updated_at: Date;
}

/**
 * Writes summaries of one user, each id once. Answers those that are new or say something else than before; the others
 * are left as they are, and their raw objects with them.
 */
export async function putSummaries(
  work: Work,
  userId: string,
  rows: readonly NewSummary[],
): Promise<PutRow[]> {
  const { tx, tenant, now, cipher } = work;
  // Everybody takes rows in this order, so that two who bring the same wait for each other and not in a circle.
  const ordered = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const column = <T>(of: (row: NewSummary) => T): T[] => ordered.map(of);
  const { rows: put } = await sql<PutRow>`
    insert into wearable_summary as s (team_id, environment, user_id, id, resource, provider, key, source_id,
      source_type, app_id, device_id, day, at, body, raw, digest, created_at, updated_at)
    select ${tenant.teamId}::uuid, ${tenant.environment}, ${userId}::uuid, g.*, ${now}::timestamptz, ${now}::timestamptz
    from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ resource }) => resource)}::text[],
      ${column(({ provider }) => provider)}::text[], ${column(({ key }) => key)}::text[],
      ${column(({ sourceId }) => sourceId)}::bigint[], ${column(({ sourceType }) => sourceType)}::text[],
      ${column(({ appId }) => appId)}::text[], ${column(({ deviceId }) => deviceId)}::uuid[],
      ${column(({ day }) => day)}::date[], ${column(({ at }) => at)}::timestamptz[],
      ${column(({ body }) => cipher.seal(body, BODY_PLACE))}::bytea[],
      ${column(({ raw }) => raw && cipher.seal(raw, RAW_PLACE))}::bytea[],
      ${column((row) => digestOf(work, row))}::bytea[]) as g
    on conflict (team_id, environment, id) do update set
      source_id = excluded.source_id, source_type = excluded.source_type, app_id = excluded.app_id,
      device_id = excluded.device_id, day = excluded.day, at = excluded.at, body = excluded.body,
      raw = coalesce(excluded.raw, s.raw), digest = excluded.digest,
      updated_at = greatest(s.updated_at, excluded.updated_at)
    where s.digest <> excluded.digest
    returning s.id, case when s.xmax = 0 then 'created' else 'updated' end as change, s.created_at, s.updated_at
  `.execute(tx);
  return put;
}

/** Of what callers see alone: the same with another raw object is the same, and a profile is of no time. */
function digestOf({ cipher }: Work, row: NewSummary): Buffer {
  const time = row.resource === 'profile' ? [] : [row.day, row.at.getTime()];
  return cipher.blindIndex(
    JSON.stringify([row.resource, row.sourceType, row.appId, row.deviceId, ...time, row.body]),
  );
}

const COLUMNS = [
  's.id',
  's.user_id',
  's.resource',
  's.provider',
  's.key',
  's.source_id',
  's.source_type',
  's.app_id',
  's.device_id',
  's.day',
  's.at',
  's.created_at',
  's.updated_at',
] as const;

/** Summaries of users who are there. */
const present = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('wearable_summary as s')
    .innerJoin('app_user as u', (join) =>
      join
        .onRef('u.team_id', '=', 's.team_id')
        .onRef('u.environment', '=', 's.environment')
        .onRef('u.id', '=', 's.user_id'),
    )
    .where('s.team_id', '=', tenant.teamId)
    .where('s.environment', '=', tenant.environment)
    .where('u.deleted_at', 'is', null);

export interface SummaryQuery {
  readonly userId: string;
  readonly resource: SummedResource;
  /** The slug of a provider; all of them where it is left out. */
  readonly provider?: string | undefined;
  /** Days as `YYYY-MM-DD`; the last one is wanted too. */
  readonly fromDay: string;
  readonly toDay: string;
}

const ofDays = (work: Work, { userId, resource, provider, fromDay, toDay }: SummaryQuery, limit: number) =>
  present(work)
    .where('s.user_id', '=', userId)
    .where('s.resource', '=', resource)
    .where('s.day', '>=', fromDay)
    .where('s.day', '<=', toDay)
    .$if(provider !== undefined, (query) => query.where('s.provider', '=', provider ?? ''))
    .orderBy('s.day')
    .orderBy('s.at')
    .orderBy('s.id')
    .limit(limit);

const opened = (work: Work, { body, ...row }: SummaryRow & { body: Buffer }): Summary => ({
  ...row,
  body: JSON.parse(work.cipher.open(body, BODY_PLACE)),
});

export async function listSummaries(work: Work, query: SummaryQuery, limit: number): Promise<Summary[]> {
  const rows = await ofDays(work, query, limit).select(COLUMNS).select('s.body').execute();
  return rows.map((row) => opened(work, row));
}

export async function listRaw(work: Work, query: SummaryQuery, limit: number): Promise<RawSummary[]> {
  const rows = await ofDays(work, query, limit).select(COLUMNS).select(['s.body', 's.raw']).execute();
  return rows.map(({ body, raw, ...row }) => ({
    ...row,
    data: JSON.parse(raw ? work.cipher.open(raw, RAW_PLACE) : work.cipher.open(body, BODY_PLACE)),
  }));
}

export interface LastWanted {
  readonly userIds: readonly string[];
  readonly provider: string;
  readonly resources: readonly string[];
  readonly since: Date;
}

/** The last day since then of which each of these users has a summary of a provider, resource by resource. */
export const listLastDays = (
  { tx, tenant }: Work,
  { userIds, provider, resources, since }: LastWanted,
): Promise<{ user_id: string; resource: string; day: string }[]> =>
  tx
    .selectFrom('wearable_summary')
    .select(['user_id', 'resource', sql<string>`max(day)`.as('day')])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .where('resource', '=', sql<SummedResource>`any(${[...resources]}::text[])`)
    .where('day', '>=', isoDay(since))
    .where('provider', '=', provider)
    .groupBy(['user_id', 'resource'])
    .execute();

/** The workouts of a user of which a provider has told the stream, by the ids of the provider. */
export async function listStreamed(
  { tx, tenant }: Work,
  { userId, provider, from, to }: StreamedWanted,
): Promise<string[]> {
  const rows = await tx
    .selectFrom('wearable_summary as s')
    .innerJoin('workout_stream as w', (join) =>
      join
        .onRef('w.team_id', '=', 's.team_id')
        .onRef('w.environment', '=', 's.environment')
        .onRef('w.workout_id', '=', 's.id'),
    )
    .select('s.key')
    .where('s.team_id', '=', tenant.teamId)
    .where('s.environment', '=', tenant.environment)
    .where('s.user_id', '=', userId)
    .where('s.resource', '=', 'workouts')
    // A day there may be another one here; the moment decides.
    .where('s.day', '>=', isoDay(later(from, -DAY)))
    .where('s.provider', '=', provider)
    .where('s.at', '>=', from)
    .where('s.at', '<', to)
    .execute();
  return rows.map(({ key }) => key);
}

export interface StreamedWanted {
  readonly userId: string;
  readonly provider: string;
  readonly from: Date;
  readonly to: Date;
}

export async function findSummary(
  work: Work,
  resource: SummedResource,
  id: string,
): Promise<Summary | undefined> {
  const row = await present(work)
    .select(COLUMNS)
    .select('s.body')
    .where('s.id', '=', id)
    .where('s.resource', '=', resource)
    .executeTakeFirst();
  return row && opened(work, row);
}
