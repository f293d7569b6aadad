import { sql, type RawBuilder } from 'kysely';
import { toArrayLiteral } from '../../platform/db/array-literal.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

/** Messages to one endpoint that are enqueued together. */
export interface NewBundle {
  readonly team_id: string;
  readonly environment: string;
  readonly id: string;
  readonly endpoint_id: string;
  readonly event_ids: readonly string[];
}

/** Enqueues bundles, due immediately. */
export async function insertBundles(tx: Tx, bundles: readonly NewBundle[], wall: Date): Promise<void> {
  const column = (read: (bundle: NewBundle) => string) => toArrayLiteral(bundles.map(read));
  await sql`
    insert into webhook_bundle (team_id, environment, id, endpoint_id, event_ids, due_at, due_wall)
    select v.team_id, v.environment, v.id, v.endpoint_id, v.event_ids::uuid[],
      ${wall}::timestamptz + interval '1 ms' * t.clock_offset_ms, ${wall}::timestamptz
    from unnest(${column((each) => each.team_id)}::uuid[], ${column((each) => each.environment)}::text[],
      ${column((each) => each.id)}::uuid[], ${column((each) => each.endpoint_id)}::uuid[],
      ${column((each) => `"{${each.event_ids.join()}}"`)}::text[])
      as v (team_id, environment, id, endpoint_id, event_ids)
    join team_environment t on t.team_id = v.team_id and t.environment = v.environment`.execute(tx);
}

/** Splits bundles, by their alias `b`, into one row per message, except for messages whose event was erased. */
const unpack = async (tx: Tx, which: RawBuilder<unknown>): Promise<void> =>
  void (await sql`
    with gone as (delete from webhook_bundle b where ${which} returning *)
    insert into webhook_delivery (team_id, environment, id, endpoint_id, event_id, due_at, due_wall, created_at)
    select gone.team_id, gone.environment, aliquot_bundled_id(gone.id, m.number), gone.endpoint_id, m.event_id,
      gone.due_at, gone.due_wall, gone.due_at
    from gone cross join lateral unnest(gone.event_ids) with ordinality as m (event_id, number)
    where exists (select from event v where v.team_id = gone.team_id and v.environment = gone.environment
      and v.id = m.event_id)
    on conflict (team_id, environment, endpoint_id, event_id) do nothing`.execute(tx));

/** The key of a bundle. */
export type BundleKey = Pick<NewBundle, 'team_id' | 'environment' | 'id'>;

/** For senders: unpacks those of these bundles that still exist. */
export const unpackBundles = (tx: Tx, bundles: readonly BundleKey[]): Promise<void> =>
  unpack(
    tx,
    sql`(b.team_id, b.environment, b.id) in (select * from unnest(
      ${bundles.map((each) => each.team_id)}::uuid[], ${bundles.map((each) => each.environment)}::text[],
      ${bundles.map((each) => each.id)}::uuid[]))`,
  );

const ofTenant = ({ tenant }: Work) =>
  sql`b.team_id = ${tenant.teamId} and b.environment = ${tenant.environment}`;

/** Unpacks the bundles of an endpoint that are due first. */
export const unpackOfEndpoint = (
  work: Work,
  { endpointId, limit }: { endpointId: string; limit: number },
): Promise<void> =>
  unpack(
    work.tx,
    sql`${ofTenant(work)} and b.id in (select b.id from webhook_bundle b
      where ${ofTenant(work)} and b.endpoint_id = ${endpointId} order by b.due_wall limit ${limit})`,
  );

/** Unpacks the bundle that contains the message about one event, if any. */
export const unpackMessage = (
  work: Work,
  { endpointId, eventId }: { endpointId: string; eventId: string },
): Promise<void> =>
  unpack(
    work.tx,
    sql`${ofTenant(work)} and b.endpoint_id = ${endpointId} and ${eventId}::uuid = any(b.event_ids)`,
  );

/** Unpacks all bundles with messages about a user. */
export const unpackOfUser = (work: Work, userId: string): Promise<void> =>
  unpack(
    work.tx,
    sql`${ofTenant(work)} and b.id in (
      select packed.id from webhook_bundle packed cross join lateral unnest(packed.event_ids) as m (event_id)
      join event v on v.team_id = packed.team_id and v.environment = packed.environment and v.id = m.event_id
      where packed.team_id = ${work.tenant.teamId} and packed.environment = ${work.tenant.environment}
        and v.user_id = ${userId})`,
  );
