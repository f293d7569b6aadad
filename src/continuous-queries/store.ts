import { sql, type Selectable } from 'kysely';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Environment } from '../platform/tenant.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

export type QueryRow = Selectable<Database['continuous_query']>;

/** Nobody else makes a query of this tenant until the work ends. */
export async function holdQueries({ tx, tenant }: Work): Promise<void> {
  const name = `continuous-query/${tenant.teamId}/${tenant.environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${name}, 0))`.execute(tx);
}

const queries = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('continuous_query')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export const listActive = (work: Work): Promise<QueryRow[]> =>
  queries(work).where('archived_at', 'is', null).orderBy('id').execute();

/** Newest first, archived ones too. */
export const listQueries = (
  work: Work,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<QueryRow[]> =>
  queries(work)
    .$if(after !== undefined, (q) => q.where('id', '<', after ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

export const findQuery = (work: Work, id: string): Promise<QueryRow | undefined> =>
  queries(work).where('id', '=', id).executeTakeFirst();

export const findBySlug = (work: Work, slug: string): Promise<QueryRow | undefined> =>
  queries(work).where('slug', '=', slug).where('archived_at', 'is', null).executeTakeFirst();

export type NewQuery = Pick<
  QueryRow,
  'id' | 'slug' | 'title' | 'resources' | 'minimum_gap_seconds' | 'data_events'
> & { readonly query: string; readonly config: string };

export const insertQuery = ({ tx, tenant, now }: Work, row: NewQuery): Promise<QueryRow> =>
  tx
    .insertInto('continuous_query')
    .values({ ...tenantColumns(tenant), ...row, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();

type QueryChange = Partial<Pick<QueryRow, 'title' | 'minimum_gap_seconds' | 'archived_at'>>;

/** Changes a query that is not archived; `undefined` means that there is none. */
export const changeQuery = (
  { tx, tenant, now }: Work,
  id: string,
  change: QueryChange,
): Promise<QueryRow | undefined> =>
  tx
    .updateTable('continuous_query')
    .set({ ...change, updated_at: now })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('archived_at', 'is', null)
    .returningAll()
    .executeTakeFirst();

export interface Concern {
  readonly team_id: string;
  readonly environment: Environment;
  readonly resources: string[];
}

/** What the queries of some teams read; for the system, which sees all of them. */
export async function listConcerns(tx: Tx, teamIds: readonly string[]): Promise<Concern[]> {
  const { rows } = await sql<Concern>`
    select team_id, environment, array_agg(distinct resource) as resources
    from continuous_query, unnest(resources) as resource
    where team_id = any(${[...teamIds]}::uuid[]) and archived_at is null
    group by team_id, environment`.execute(tx);
  return rows;
}

/** The next users of the tenant after one, by their ids. */
export async function nextUsers({ tx, tenant }: Work, after: string, limit: number): Promise<string[]> {
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
