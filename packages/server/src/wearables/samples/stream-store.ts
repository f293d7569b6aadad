import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { defer, type Work } from '../../platform/work.ts';
import './table.ts';

export type SampleStreamRow = Selectable<Database['sample_stream']>;

/** Identifies a stream. */
export type SampleStreamKey = Pick<
  SampleStreamRow,
  'user_id' | 'resource' | 'provider' | 'source_type' | 'type'
>;

const selectStreams = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('sample_stream')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

/** Creates a stream if it does not exist. The user's sample lock must be held. */
export async function createStream(work: Work, key: SampleStreamKey): Promise<void> {
  await work.tx
    .insertInto('sample_stream')
    .values({ ...tenantColumns(work.tenant), ...key, rows_from: null, chunks_to: null, last_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The streams of one resource, sorted by id. */
export const listStreams = (
  work: Work,
  { userId, resource, provider, type }: StreamsQuery,
): Promise<SampleStreamRow[]> =>
  selectStreams(work)
    .where('user_id', '=', userId)
    .where('resource', '=', resource)
    .$if(provider !== undefined, (q) => q.where('provider', '=', provider ?? ''))
    .$if(type !== undefined, (q) => q.where('type', '=', type ?? ''))
    .orderBy('id')
    .execute();

export interface StreamsQuery {
  readonly userId: string;
  readonly resource: string;
  readonly provider?: string | undefined;
  readonly type?: string | undefined;
}

/** The streams of a user from one provider, sorted by id. */
export const listProviderStreams = (
  work: Work,
  { userId, provider, resources }: ProviderStreamsQuery,
): Promise<SampleStreamRow[]> =>
  selectStreams(work)
    .where('user_id', '=', userId)
    .where('provider', '=', provider)
    .$if(resources !== undefined, (q) =>
      q.where('resource', '=', sql<string>`any(${[...(resources ?? [])]}::text[])`),
    )
    .orderBy('id')
    .execute();

interface ProviderStreamsQuery {
  readonly userId: string;
  readonly provider: string;
  readonly resources: readonly string[] | undefined;
}

/** The newest sample of a provider, by user and resource. */
export const listLastTimestamps = (
  { tx, tenant }: Work,
  { userIds, provider, resources }: LastTimestampsQuery,
): Promise<{ user_id: string; resource: string; last: number }[]> =>
  tx
    .selectFrom('sample_stream')
    .select(['user_id', 'resource', sql<number>`max(last_at)`.as('last')])
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('user_id', '=', sql<string>`any(${[...userIds]}::uuid[])`)
    .where('resource', '=', sql<string>`any(${[...resources]}::text[])`)
    .where('provider', '=', provider)
    .where('last_at', 'is not', null)
    .groupBy(['user_id', 'resource'])
    .execute();

export interface LastTimestampsQuery {
  readonly userIds: readonly string[];
  readonly provider: string;
  readonly resources: readonly string[];
}

/** A stream of a user with rows or segments before a timestamp. */
export const findStreamBefore = (
  work: Work,
  userId: string,
  before: number,
): Promise<SampleStreamRow | undefined> =>
  selectStreams(work)
    .where('user_id', '=', userId)
    .where('rows_from', '<', before)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Whether a user has uncompacted samples. */
export const hasUncompacted = async (work: Work, userId: string): Promise<boolean> =>
  (await selectStreams(work)
    .where('user_id', '=', userId)
    .where('rows_from', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** Records that there are rows or segments from this timestamp on. Deferred: sent with the next statement. */
export const markUncompactedFrom = (work: Work, streamId: number, at: number): void =>
  defer(
    work,
    work.tx
      .updateTable('sample_stream')
      .set({ rows_from: sql`least(rows_from, ${at})` })
      .where('team_id', '=', work.tenant.teamId)
      .where('environment', '=', work.tenant.environment)
      .where('id', '=', streamId),
  );

/** Invalidates cached sources and devices of a user. Deferred: sent with the next statement. */
export const bumpOriginsVersion = (work: Work, userId: string): void =>
  defer(
    work,
    work.tx
      .updateTable('sample_stream')
      .set({ origins_version: sql`origins_version + 1` })
      .where('team_id', '=', work.tenant.teamId)
      .where('environment', '=', work.tenant.environment)
      .where('user_id', '=', userId),
  );

/** The first timestamp of a stream's rows and segments at or after `from`; null if there is none. */
const firstUncompactedSql = ({ tenant: { teamId, environment } }: Work, streamId: number, from: number) => {
  const ofStream = sql`team_id = ${teamId} and environment = ${environment} and stream_id = ${streamId}`;
  return sql<number | null>`least((select min(at) from sample where ${ofStream} and at >= ${from}),
    (select min(first_at) from sample_segment where ${ofStream} and first_at >= ${from}))`;
};

export async function findFirstUncompacted(
  work: Work,
  streamId: number,
  from: number,
): Promise<number | null> {
  const { rows } = await sql<{ first: number | null }>`
    select ${firstUncompactedSql(work, streamId, from)} as first`.execute(work.tx);
  return rows[0]?.first ?? null;
}

/** Records that everything before `to` is compacted, and that chunks end at `chunksTo`. Recomputes `rows_from`. */
export async function recordCompaction(
  work: Work,
  streamId: number,
  { to, chunksTo }: { to: number; chunksTo: number | null },
): Promise<void> {
  await work.tx
    .updateTable('sample_stream')
    .set({
      rows_from: firstUncompactedSql(work, streamId, to),
      chunks_to: sql<number | null>`greatest(chunks_to, ${chunksTo}::bigint)`,
    })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', streamId)
    .execute();
}

/** Recomputes the end of a stream after a deletion. */
export async function recomputeLast({ tx, tenant }: Work, streamId: number): Promise<void> {
  const { teamId, environment } = tenant;
  const ofStream = sql`team_id = ${teamId} and environment = ${environment} and stream_id = ${streamId}`;
  const lastOf = (table: string) =>
    sql`(select last_at from ${sql.table(table)} where ${ofStream} order by first_at desc limit 1)`;
  await tx
    .updateTable('sample_stream')
    .set({
      last_at: sql<number | null>`greatest((select max(at) from sample where ${ofStream}),
        ${lastOf('sample_segment')}, ${lastOf('sample_chunk')})`,
    })
    .where('team_id', '=', teamId)
    .where('environment', '=', environment)
    .where('id', '=', streamId)
    .execute();
}

/** The first and last timestamp of each stream of a user. */
export const listExtents = ({ tx, tenant }: Work, userId: string): Promise<StreamExtentRow[]> => {
  const of = (table: string) => sql`${sql.table(table)} as x
    where x.team_id = s.team_id and x.environment = s.environment and x.stream_id = s.id`;
  // Chunks and segments do not overlap, so the one that begins last also ends last.
  const lastOf = (table: string) => sql`(select last_at from ${of(table)} order by first_at desc limit 1)`;
  return tx
    .selectFrom('sample_stream as s')
    .select(['s.resource', 's.type', 's.provider', 's.source_type'])
    .select([
      sql<number | null>`least((select min(at) from ${of('sample')}),
        (select min(first_at) from ${of('sample_segment')}),
        (select min(first_at) from ${of('sample_chunk')}))`.as('first'),
      sql<number | null>`greatest((select max(at) from ${of('sample')}),
        ${lastOf('sample_segment')}, ${lastOf('sample_chunk')})`.as('last'),
    ])
    .where('s.team_id', '=', tenant.teamId)
    .where('s.environment', '=', tenant.environment)
    .where('s.user_id', '=', userId)
    .orderBy('s.resource')
    .orderBy('s.id')
    .execute();
};

interface StreamExtentRow extends Pick<SampleStreamRow, 'resource' | 'type' | 'provider' | 'source_type'> {
  readonly first: number | null;
  readonly last: number | null;
}
