import { sql, type Insertable, type Selectable } from 'kysely';
import { arrayText } from '../platform/db/array-text.ts';
import type { Database, Tx } from '../platform/db/database.ts';
import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

export type EndpointRow = Selectable<Database['webhook_endpoint']>;
type Changes = Partial<
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

/** Those of the tenant that nobody has deleted. */
const endpoints = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('webhook_endpoint')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('deleted_at', 'is', null);

/** Endpoints after an id, the oldest first. */
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

/** The same, and nobody else changes it until this work ends. */
export const lockEndpoint = (work: Work, id: string): Promise<EndpointRow | undefined> =>
  endpoints(work).where('id', '=', id).selectAll().forNoKeyUpdate().executeTakeFirst();

/** The same, but the fan-out does not wait for this work: it changes the endpoint as little. */
export const keepEndpoint = (work: Work, id: string): Promise<EndpointRow | undefined> =>
  endpoints(work).where('id', '=', id).selectAll().forShare().executeTakeFirst();

/** How many endpoints the tenant has; two that ask at once wait for each other. */
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

/** Changes what is given. Senders see the new revision with the next message that they take. */
export const updateEndpoint = (
  { tx, tenant, now }: Work,
  id: string,
  changes: Changes,
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
  /** It takes what comes: it has not failed since its last success, and has no rate limit. */
  readonly steady: boolean;
};

/** The enabled endpoints of some tenants; they are neither disabled nor deleted before the transaction ends. */
export async function listEnabled(
  tx: Tx,
  tenants: readonly { teamId: string; environment: string }[],
): Promise<EnabledEndpoint[]> {
  const { rows } = await sql<EnabledEndpoint>`
    select e.team_id, e.environment, e.id, e.filter_types,
      e.first_failure_at is null and e.rate_limit is null as steady from webhook_endpoint e
    join unnest(${tenants.map(({ teamId }) => teamId)}::uuid[], ${tenants.map(({ environment }) => environment)}::text[])
      as wanted (team_id, environment) on wanted.team_id = e.team_id and wanted.environment = e.environment
    where e.disabled_at is null order by e.id for share of e`.execute(tx);
  return rows;
}

export interface Owed {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_id: string;
}

/** Puts messages into the queue, due at once; one that was put there before stays as it is. */
export async function insertDeliveries(tx: Tx, owed: readonly Owed[], wall: Date): Promise<void> {
  const column = (read: (row: Owed) => string) => arrayText(owed.map(read));
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

export type EndpointToSend = Pick<
  EndpointRow,
  'team_id' | 'environment' | 'id' | 'revision' | 'url' | 'headers' | 'secrets'
>;

export const listToSend = (tx: Tx, ids: readonly string[]): Promise<EndpointToSend[]> =>
  tx
    .selectFrom('webhook_endpoint')
    .select(['team_id', 'environment', 'id', 'revision', 'url', 'headers', 'secrets'])
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .where('deleted_at', 'is', null)
    .execute();
