import { sql } from 'kysely';
import { DAY, isoDay, later, SECOND } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { RawSummary, Summary, SummaryRow } from './record.ts';
import type { SummaryResource } from '../../readings/readings.ts';
import './table.ts';

export const BODY_PLACE = 'wearable_summary.body';
const RAW_PLACE = 'wearable_summary.raw';

/** A summary to be stored. */
interface NewSummary {
  readonly id: string;
  readonly resource: SummaryResource;
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

interface PutSummaryRow {
  readonly id: string;
  readonly change: 'created' | 'updated';
  readonly created_at: Date;
  readonly updated_at: Date;
}

/**
 * Upserts summaries of one user; ids must be unique. Returns those that were created or changed. Unchanged ones, and
 * their raw payloads, are not written.
 */
export async function putSummaries(
  work: Work,
  userId: string,
  rows: readonly NewSummary[],
): Promise<PutSummaryRow[]> {
  const { tx, tenant, now, cipher } = work;
  // A fixed order of row locks prevents deadlocks between concurrent writers of the same summaries.
  const ordered = rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const column = <T>(of: (row: NewSummary) => T): T[] => ordered.map(of);
  const { rows: put } = await sql<PutSummaryRow>`
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
      ${column((row) => computeDigest(work, row))}::bytea[]) as g
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

/** Covers only visible fields: another raw payload is no change, and a profile has no time. */
function computeDigest({ cipher }: Work, row: NewSummary): Buffer {
  const time = row.resource === 'profile' ? [] : [row.day, row.at.getTime()];
  return cipher.blindIndex(
    JSON.stringify([row.resource, row.sourceType, row.appId, row.deviceId, ...time, row.body]),
  );
}

export const COLUMNS = [
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

/** Summaries of users that are not deleted. */
export const selectActive = ({ tx, tenant }: Work) =>
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
  readonly resource: SummaryResource;
  /** The slug of a provider; all providers if absent. */
  readonly provider?: string | undefined;
  /** Days as `YYYY-MM-DD`, both inclusive. */
  readonly fromDay: string;
  readonly toDay: string;
}

const selectDays = (
  work: Work,
  { userId, resource, provider, fromDay, toDay }: SummaryQuery,
  limit: number,
) =>
  selectActive(work)
    .where('s.user_id', '=', userId)
    .where('s.resource', '=', resource)
    .where('s.day', '>=', fromDay)
    .where('s.day', '<=', toDay)
    .$if(provider !== undefined, (query) => query.where('s.provider', '=', provider ?? ''))
    .orderBy('s.day')
    .orderBy('s.at')
    .orderBy('s.id')
    .limit(limit);

export const decryptSummary = (work: Work, { body, ...row }: SummaryRow & { body: Buffer }): Summary => ({
  ...row,
  body: JSON.parse(work.cipher.open(body, BODY_PLACE)),
});

export async function listSummaries(work: Work, query: SummaryQuery, limit: number): Promise<Summary[]> {
  const rows = await selectDays(work, query, limit).select(COLUMNS).select('s.body').execute();
  return rows.map((row) => decryptSummary(work, row));
}

export async function listRaw(work: Work, query: SummaryQuery, limit: number): Promise<RawSummary[]> {
  const rows = await selectDays(work, query, limit).select(COLUMNS).select(['s.body', 's.raw']).execute();
  return rows.map((row) => decryptRaw(work, row));
}

const decryptRaw = (
  { cipher }: Work,
  { body, raw, ...row }: SummaryRow & { body: Buffer; raw: Buffer | null },
): RawSummary => ({
  ...row,
  data: JSON.parse(raw ? cipher.open(raw, RAW_PLACE) : cipher.open(body, BODY_PLACE)),
});

export async function findRaw(work: Work, id: string): Promise<RawSummary | undefined> {
  const query = selectActive(work).select(COLUMNS).select(['s.body', 's.raw']);
  const row = await query.where('s.id', '=', id).executeTakeFirst();
  return row && decryptRaw(work, row);
}

export interface StartedSummariesQuery {
  readonly userId: string;
  readonly provider: string;
  readonly resources: readonly SummaryResource[];
  /** When the summaries begin. */
  readonly times: readonly Date[];
}

/** The summaries that begin within the same second as one of the times, oldest first. */
export async function listStarted(
  work: Work,
  { userId, provider, resources, times }: StartedSummariesQuery,
): Promise<Summary[]> {
  const seconds = times.map((time) => Math.floor(time.getTime() / SECOND));
  const [first, last] = [new Date(Math.min(...seconds) * SECOND), new Date(Math.max(...seconds) * SECOND)];
  const rows = await selectActive(work)
    .select(COLUMNS)
    .select('s.body')
    .where('s.user_id', '=', userId)
    .where('s.provider', '=', provider)
    .where('s.resource', '=', sql<SummaryResource>`any(${[...resources]}::text[])`)
    // The local day of the end may differ from the UTC day of the beginning.
    .where('s.day', '>=', isoDay(later(first, -2 * DAY)))
    .where('s.day', '<=', isoDay(later(last, 2 * DAY)))
    .where(sql<number>`floor(extract(epoch from s.at))::bigint`, '=', sql<number>`any(${seconds}::bigint[])`)
    .orderBy('s.created_at')
    .orderBy('s.id')
    .execute();
  return rows.map((row) => decryptSummary(work, row));
}

export interface LastDaysQuery {
  readonly userIds: readonly string[];
  readonly provider: string;
  readonly resources: readonly string[];
  readonly since: Date;
}

/** The last day since `since` with a summary of a provider, by user and resource. */
export const listLastDays = (
  { tx, tenant }: Work,
  { userIds, provider, resources, since }: LastDaysQuery,
): Promise<{ user_id: string; resource: string; day: string }[]> =>
  tx
    .selectFrom('wearable_summary')
    .select(['user_id', 'resource', sql<string>`max(day)`.as('day')])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .where('resource', '=', sql<SummaryResource>`any(${[...resources]}::text[])`)
    .where('day', '>=', isoDay(since))
    .where('provider', '=', provider)
    .groupBy(['user_id', 'resource'])
    .execute();

/** The provider ids of a user's workouts that have a stream. */
export async function listStreamed(
  { tx, tenant }: Work,
  { userId, provider, from, to }: StartedWorkoutsQuery,
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
    // The local day may differ from the UTC day: widen the indexed filter, and decide by timestamp.
    .where('s.day', '>=', isoDay(later(from, -DAY)))
    .where('s.provider', '=', provider)
    .where('s.at', '>=', from)
    .where('s.at', '<', to)
    .execute();
  return rows.map(({ key }) => key);
}

export interface StartedWorkoutsQuery {
  readonly userId: string;
  readonly provider: string;
  readonly from: Date;
  readonly to: Date;
}

export async function findSummary(
  work: Work,
  resource: SummaryResource,
  id: string,
): Promise<Summary | undefined> {
  const row = await selectActive(work)
    .select(COLUMNS)
    .select('s.body')
    .where('s.id', '=', id)
    .where('s.resource', '=', resource)
    .executeTakeFirst();
  return row && decryptSummary(work, row);
}

/** Streams of workouts go with them. Returns those that were stored. */
export async function deleteSummaries(
  work: Work,
  userId: string,
  ids: readonly string[],
): Promise<Summary[]> {
  if (ids.length === 0) return [];
  const { tx, tenant } = work;
  const rows = await tx
    .deleteFrom('wearable_summary')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .returningAll()
    .execute();
  return rows.map(({ team_id: _team, environment: _environment, raw: _raw, digest: _digest, ...row }) =>
    decryptSummary(work, row),
  );
}
