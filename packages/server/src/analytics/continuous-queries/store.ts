import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import type { Environment } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

export type ContinuousQueryRow = Selectable<Database['continuous_query']>;

/** Serializes query creation in this tenant until the transaction ends. */
export async function lockQueries({ tx, tenant }: Work): Promise<void> {
  const name = `continuous-query/${tenant.teamId}/${tenant.environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

const selectQueries = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('continuous_query')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const listActiveQueries = (work: Work): Promise<ContinuousQueryRow[]> =>
  selectQueries(work).where('archived_at', 'is', null).orderBy('id').execute();

/** Newest first, including archived queries. */
export const listQueries = (
  work: Work,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<ContinuousQueryRow[]> =>
  selectQueries(work)
    .$if(after !== undefined, (q) => q.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export const findQuery = (work: Work, id: string): Promise<ContinuousQueryRow | undefined> =>
  selectQueries(work).where('id', '=', id).executeTakeFirst();

export const findQueryBySlug = (work: Work, slug: string): Promise<ContinuousQueryRow | undefined> =>
  selectQueries(work).where('slug', '=', slug).where('archived_at', 'is', null).executeTakeFirst();

type NewContinuousQuery = Pick<
  ContinuousQueryRow,
  'id' | 'slug' | 'title' | 'resources' | 'minimum_gap_seconds' | 'data_events'
> & { readonly query: string; readonly config: string };

export const insertQuery = (
  { tx, tenant, now }: Work,
  row: NewContinuousQuery,
): Promise<ContinuousQueryRow> =>
  tx
    .insertInto('continuous_query')
    .values({ ...tenantColumns(tenant), ...row, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();

type ContinuousQueryChange = Partial<
  Pick<ContinuousQueryRow, 'title' | 'minimum_gap_seconds' | 'archived_at'>
>;

/** Updates an active query; undefined if there is none with this id. */
export const changeQuery = (
  { tx, tenant, now }: Work,
  id: string,
  change: ContinuousQueryChange,
): Promise<ContinuousQueryRow | undefined> =>
  tx
    .updateTable('continuous_query')
    .set({ ...change, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

interface QueriedResources {
  readonly team_id: string;
  readonly environment: Environment;
  readonly resources: string[];
}

/** The resources that active queries of these teams read. Runs outside a tenant, with system rights. */
export async function listQueriedResources(tx: Tx, teamIds: readonly string[]): Promise<QueriedResources[]> {
  const { rows } = await sql<QueriedResources>`
    select team_id, environment, array_agg(distinct resource) as resources
    from continuous_query, unnest(resources) as resource
    where team_id = any(${[...teamIds]}::uuid[]) and archived_at is null
    group by team_id, environment`.execute(tx);
  return rows;
}

/** The next page of the tenant's users, ordered by id. */
export async function listUsersAfter({ tx, tenant }: Work, after: string, limit: number): Promise<string[]> {
  const rows = await tx
    .selectFrom('app_user')
    .select('id')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('deleted_at', 'is', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ id }) => id);
}
