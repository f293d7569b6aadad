import { sql, type RawBuilder } from 'kysely';
import type { Work } from '../../platform/work.ts';
import '../connections/table.ts';
import { SUMMARY_RESOURCES } from '../records/records.ts';

interface MeasuredUsersPage {
  /** The last user of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
  /** Only users of this provider. */
  readonly provider: string | undefined;
}

/**
 * Users with a connection or a source, by id. A loose index scan jumps from user to user: a user may have a source per
 * workout, and most users of a team have none.
 */
export async function listMeasuredUsers(
  work: Work,
  { after, limit, provider }: MeasuredUsersPage,
): Promise<string[]> {
  const { teamId, environment } = work.tenant;
  const wanted = (of: 's' | 'c') =>
    provider === undefined ? sql`` : sql`and ${sql.ref(`${of}.provider`)} = ${provider}`;
  const next = (place: RawBuilder<unknown>) => sql`least(
    (select s.user_id from wearable_source s
      where s.team_id = ${teamId} and s.environment = ${environment} and s.user_id > ${place}
        ${wanted('s')}
      order by s.user_id limit 1),
    (select c.user_id from connection c
      where c.team_id = ${teamId} and c.environment = ${environment} and c.user_id > ${place}
        and c.removed_at is null ${wanted('c')}
      order by c.user_id limit 1))`;
  const { rows } = await sql<{ user_id: string }>`
    with recursive measured (user_id, place) as (
      select ${next(sql`${after ?? NIL_UUID}::uuid`)}, 1
      union all
      select ${next(sql`m.user_id`)}, m.place + 1
        from measured m where m.user_id is not null and m.place < ${limit}
    )
    select user_id from measured where user_id is not null order by place`.execute(work.tx);
  return rows.map(({ user_id }) => user_id);
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** Those of the given users that are not deleted. */
export async function filterExistingUsers(
  { tx, tenant }: Work,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await tx
    .selectFrom('app_user')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** The oldest and newest data of a resource of a user from a provider, in milliseconds since 1970. */
export interface ResourceExtentRow {
  readonly user_id: string;
  readonly provider: string;
  readonly resource: string;
  readonly oldest: number;
  readonly newest: number;
}

/** The extents of samples, in one query with a few index lookups per stream. */
export async function listSampleExtents(
  { tx, tenant }: Work,
  ids: readonly string[],
): Promise<ResourceExtentRow[]> {
  const of = (table: string) => sql`${sql.table(table)} s
    where s.team_id = t.team_id and s.environment = t.environment and s.stream_id = t.id`;
  const first = (table: string) => sql`(select min(s.first_at) from ${of(table)})`;
  const last = (table: string) => sql`(select s.last_at from ${of(table)} order by s.first_at desc limit 1)`;
  const { rows } = await sql<ResourceExtentRow>`
    select user_id, provider, resource, min(oldest) as oldest, max(newest) as newest
    from (
      select t.user_id, t.provider, t.resource,
        least((select min(s.at) from ${of('sample')}), ${first('sample_segment')}, ${first('sample_chunk')}) as oldest,
        greatest((select max(s.at) from ${of('sample')}), ${last('sample_segment')}, ${last('sample_chunk')}) as newest
      from sample_stream t
      where t.team_id = ${tenant.teamId} and t.environment = ${tenant.environment}
        and t.user_id = any(${ids}::uuid[])
    ) as streams
    where oldest is not null
    group by user_id, provider, resource`.execute(tx);
  return rows;
}

/** The extents of summaries: the first and last day per resource and provider. */
export async function listSummaryExtents(
  { tx, tenant }: Work,
  ids: readonly string[],
): Promise<ResourceExtentRow[]> {
  const edge = (direction: 'asc' | 'desc') => sql`(
    select (extract(epoch from s.at) * 1000)::bigint from wearable_summary s
    where s.team_id = ${tenant.teamId} and s.environment = ${tenant.environment} and s.user_id = p.user_id
      and s.resource = r.resource and s.provider = p.provider
    order by s.day ${sql.raw(direction)}, s.at ${sql.raw(direction)} limit 1)`;
  const { rows } = await sql<ResourceExtentRow>`
    select p.user_id, p.provider, r.resource, e.oldest, ${edge('desc')} as newest
    from (
      select distinct user_id, provider from wearable_source
      where team_id = ${tenant.teamId} and environment = ${tenant.environment} and user_id = any(${ids}::uuid[])
    ) as p
    cross join unnest(${SUMMARY_RESOURCES}::text[]) as r (resource)
    cross join lateral (select ${edge('asc')} as oldest) as e
    where e.oldest is not null`.execute(tx);
  return rows;
}

/** One source of each device of a user. */
export async function findSourcesOfDevices(
  { tx, tenant }: Work,
  userId: string,
): Promise<Map<string, number>> {
  const rows = await tx
    .selectFrom('wearable_source')
    .select(['device_id', ({ fn }) => fn.min('id').as('id')])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', userId)
    .where('device_id', 'is not', null)
    .groupBy('device_id')
    .execute();
  return new Map(rows.map(({ device_id, id }) => [device_id ?? '', id]));
}

/** The last pull of a resource, or the last error of its connection. */
export interface PullAttemptRow {
  readonly user_id: string;
  readonly provider: string;
  readonly resource: string;
  readonly at: Date;
  readonly status: 'success' | 'failure';
}

/** The newest of: historical pull, last pull of the connection, and last error. */
export async function listLastAttempts(
  { tx, tenant }: Work,
  ids: readonly string[],
): Promise<PullAttemptRow[]> {
  const { rows } = await sql<PullAttemptRow>`
    select c.user_id, c.provider, r.resource, a.at, a.status
    from connection c
    cross join unnest(c.resources) as r (resource)
    left join historical_pull p on p.team_id = c.team_id and p.environment = c.environment
      and p.connection_id = c.id and p.resource = r.resource
    cross join lateral (
      select x.at, x.status
      from (values (p.ended_at, p.status), (c.pulled_to, 'success'), (c.errored_at, 'failure')) as x (at, status)
      where x.at is not null
      order by x.at desc limit 1
    ) as a
    where c.team_id = ${tenant.teamId} and c.environment = ${tenant.environment}
      and c.user_id = any(${ids}::uuid[]) and c.removed_at is null`.execute(tx);
  return rows;
}
