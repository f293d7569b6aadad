import { sql, type Insertable, type Selectable } from 'kysely';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import type { Database, Tx } from '../../platform/db/database.ts';
import { tenantColumns, unnestTenants } from '../../platform/db/tenant-rows.ts';
import type { Work } from '../../platform/work.ts';
import type { Tenant } from '../../platform/tenant.ts';
import './table.ts';

export type EndpointRow = Selectable<Database['webhook_endpoint']>;
type EndpointChanges = Partial<
  Pick<
    EndpointRow,
    | 'url'
    | 'description'
    | 'filter_types'
    | 'rate_limit'
    | 'headers'
    | 'secrets'
    | 'disabled_at'
    | 'deleted_at'
    | 'first_failure_at'
    | 'last_failure_at'
    | 'failing_since'
  >
>;

/** The endpoints of the tenant that are not deleted. */
const endpoints = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('webhook_endpoint')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('deleted_at', 'is', null);

/** Endpoints after an id, oldest first. */
export const listEndpoints = (
  work: Work,
  { after, limit }: { after: string | null; limit: number },
): Promise<EndpointRow[]> =>
  endpoints(work)
    .selectAll()
    .$if(after !== null, (query) => query.where('id', '>', after))
    .orderBy('id')
    .limit(limit)
    .execute();

export const findEndpoint = (work: Work, id: string): Promise<EndpointRow | undefined> =>
  endpoints(work).where('id', '=', id).selectAll().executeTakeFirst();

/** The same, locked until this work ends. */
export const lockEndpoint = (work: Work, id: string): Promise<EndpointRow | undefined> =>
  endpoints(work).where('id', '=', id).selectAll().forNoKeyUpdate().executeTakeFirst();

/** The same with a shared lock, which does not block the fan-out. */
export const shareLockEndpoint = (work: Work, id: string): Promise<EndpointRow | undefined> =>
  endpoints(work).where('id', '=', id).selectAll().forShare().executeTakeFirst();

/** The number of endpoints of the tenant, under a lock, so that concurrent creations are serialized. */
export async function countEndpoints(work: Work): Promise<number> {
  const { tx, tenant } = work;
  const lock = `webhook_endpoint/${tenant.teamId}/${tenant.environment}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
  const { count } = await endpoints(work)
    .select(sql<number>`count(*)`.as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

type NewEndpoint = Pick<
  Insertable<Database['webhook_endpoint']>,
  'id' | 'url' | 'description' | 'filter_types' | 'rate_limit' | 'headers' | 'secrets' | 'disabled_at'
>;

export const insertEndpoint = ({ tx, tenant, now }: Work, endpoint: NewEndpoint): Promise<EndpointRow> =>
  tx
    .insertInto('webhook_endpoint')
    .values({ ...tenantColumns(tenant), ...endpoint, created_at: now, updated_at: now })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Changes the given columns. Senders see the new revision with the next message that they claim. */
export const updateEndpoint = (
  { tx, tenant, now }: Work,
  id: string,
  changes: EndpointChanges,
): Promise<EndpointRow | undefined> =>
  tx
    .updateTable('webhook_endpoint')
    .set((column) => ({ ...changes, updated_at: now, revision: column('revision', '+', 1) }))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();

export type EnabledEndpoint = Pick<EndpointRow, 'team_id' | 'environment' | 'id' | 'filter_types'> & {
  /** Whether it is healthy: no failure since its last success, and no rate limit. */
  readonly steady: boolean;
};

/**
 * The enabled endpoints of some tenants, share-locked: they cannot be disabled or deleted before the transaction ends.
 */
export async function listEnabled(tx: Tx, tenants: readonly Tenant[]): Promise<EnabledEndpoint[]> {
  const { rows } = await sql<EnabledEndpoint>`
    select e.team_id, e.environment, e.id, e.filter_types,
      e.first_failure_at is null and e.rate_limit is null as steady from webhook_endpoint e
    join ${unnestTenants(tenants)} as wanted (team_id, environment) on wanted.team_id = e.team_id and wanted.environment = e.environment
    where e.disabled_at is null order by e.id for share of e`.execute(tx);
  return rows;
}

export interface NewDelivery {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
}

/** Enqueues messages, due immediately; an existing one is unchanged. */
export async function insertDeliveries(tx: Tx, owed: readonly NewDelivery[], wall: Date): Promise<void> {
  const column = (read: (row: NewDelivery) => string) => toArrayLiteral(owed.map(read));
  await sql`
    insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
    select v.team_id, v.environment, v.id, v.endpoint_id, v.event_id,
      ${wall}::timestamptz + interval '1 ms' * t.clock_offset_ms, ${wall}::timestamptz,
      ${wall}::timestamptz + interval '1 ms' * t.clock_offset_ms
    from unnest(${column((row) => row.team_id)}::uuid[], ${column((row) => row.environment)}::text[],
      ${column((row) => row.id)}::uuid[], ${column((row) => row.endpoint_id)}::uuid[],
      ${column((row) => row.event_id)}::uuid[]) with ordinality
      as v (team_id, environment, id, endpoint_id, event_id, place)
    join team_environment t on t.team_id = v.team_id and t.environment = v.environment
    order by v.place
    on conflict (team_id, environment, endpoint_id, event_id) do nothing`.execute(tx);
}

export type SenderEndpoint = Pick<
  EndpointRow,
  'team_id' | 'environment' | 'id' | 'revision' | 'url' | 'headers' | 'secrets'
>;

export const listSenderEndpoints = (tx: Tx, ids: readonly string[]): Promise<SenderEndpoint[]> =>
  tx
    .selectFrom('webhook_endpoint')
    .select(['team_id', 'environment', 'id', 'revision', 'url', 'headers', 'secrets'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute();
