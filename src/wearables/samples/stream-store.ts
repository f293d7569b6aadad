import { sql, type Selectable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { defer, type Work } from '../../platform/work.ts';
import './table.ts';

export type StreamRow = Selectable<Database['sample_stream']>;

/** What makes a stream another one. */
export type StreamKey = Pick<StreamRow, 'user_id' | 'resource' | 'provider' | 'source_type' | 'type'>;

const streams = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('sample_stream')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

/** Makes the stream, if it is not there. The user's lock is held. */
export async function makeStream(work: Work, key: StreamKey): Promise<void> {
  await work.tx
    .insertInto('sample_stream')
    .values({ ...tenantColumns(work.tenant), ...key, rows_from: null, chunks_to: null, last_at: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Of one resource, in the order of their ids. */
export const listStreams = (
  work: Work,
  { userId, resource, provider, type }: StreamsWanted,
): Promise<StreamRow[]> =>
  streams(work)
    .where('user_id', '=', userId)
    .where('resource', '=', resource)
    .$if(provider !== undefined, (q) => q.where('provider', '=', provider ?? ''))
    .$if(type !== undefined, (q) => q.where('type', '=', type ?? ''))
    .orderBy('id')
    .execute();

export interface StreamsWanted {
  readonly userId: string;
  readonly resource: string;
  readonly provider?: string | undefined;
  readonly type?: string | undefined;
}

/** Up to when each of these users has samples of a provider, resource by resource. */
export const listLastMoments = (
  { tx, tenant }: Work,
  { userIds, provider, resources }: LastWanted,
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

export interface LastWanted {
  readonly userIds: readonly string[];
  readonly provider: string;
  readonly resources: readonly string[];
}

/** One of a user with rows or segments before a moment. */
export const findStreamBefore = (
  work: Work,
  userId: string,
  before: number,
): Promise<StreamRow | undefined> =>
  streams(work)
    .where('user_id', '=', userId)
    .where('rows_from', '<', before)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();

/** Whether anything of a user is not folded yet. */
export const hasYoung = async (work: Work, userId: string): Promise<boolean> =>
  (await streams(work)
    .where('user_id', '=', userId)
    .where('rows_from', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined;

/** There are rows or segments from this moment on; goes out with the next statement. */
export const youngBegin = (work: Work, streamId: number, at: number): void =>
  defer(
    work,
    work.tx
      .updateTable('sample_stream')
      .set({ rows_from: sql`least(rows_from, ${at})` })
      .where('team_id', '=', work.tenant.teamId)
      .where('environment', '=', work.tenant.environment)
      .where('id', '=', streamId),
  );

/** What was remembered of the sources and devices of a user is not so any more; goes out with the next statement. */
export const originsChange = (work: Work, userId: string): void =>
  defer(
    work,
    work.tx
      .updateTable('sample_stream')
      .set({ origins_version: sql`origins_version + 1` })
      .where('team_id', '=', work.tenant.teamId)
      .where('environment', '=', work.tenant.environment)
      .where('user_id', '=', userId),
  );

/** The first moment of a stream's rows and segments that is not before `from`; null: there is none. */
const firstYoungOf = ({ tenant: { teamId, environment } }: Work, streamId: number, from: number) => {
  const ofStream = sql`team_id = ${teamId} and environment = ${environment} and stream_id = ${streamId}`;
  return sql<number | null>`least((select min(at) from sample where ${ofStream} and at >= ${from}),
    (select min(first_at) from sample_segment where ${ofStream} and first_at >= ${from}))`;
};

export async function firstYoung(work: Work, streamId: number, from: number): Promise<number | null> {
  const { rows } = await sql<{ first: number | null }>`
    select ${firstYoungOf(work, streamId, from)} as first`.execute(work.tx);
  return rows[0]?.first ?? null;
}

/** All before `to` is folded, up to `chunksTo` at most; rows and segments begin wherever they do now. */
export async function foldedTo(
  work: Work,
  streamId: number,
  { to, chunksTo }: { to: number; chunksTo: number | null },
): Promise<void> {
  await work.tx
    .updateTable('sample_stream')
    .set({
      rows_from: firstYoungOf(work, streamId, to),
      chunks_to: sql<number | null>`greatest(chunks_to, ${chunksTo}::bigint)`,
    })
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('id', '=', streamId)
    .execute();
}

/** What there is of each stream of a user, and over what time. */
export const listExtents = ({ tx, tenant }: Work, userId: string): Promise<ExtentRow[]> => {
  const of = (table: string) => sql`${sql.table(table)} as x
    where x.team_id = s.team_id and x.environment = s.environment and x.stream_id = s.id`;
  // Neither chunks nor segments overlap: the one that begins last ends last.
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

export interface ExtentRow extends Pick<StreamRow, 'resource' | 'type' | 'provider' | 'source_type'> {
  readonly first: number | null;
  readonly last: number | null;
}
