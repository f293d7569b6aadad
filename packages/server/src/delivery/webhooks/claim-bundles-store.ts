import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import type { BundleKey } from './bundle-store.ts';
import { BUNDLE_MAX, bundledMessageId, type MessageBundle } from './bundle.ts';
import {
  endpointColumns,
  leasedByOthers,
  type DeliveryClaim,
  type ClaimedGroup,
  type ClaimedRow,
} from './claim-store.ts';
import { INITIAL_ROOM } from './lanes.ts';
import './table.ts';

/** Messages that are queued in one row. */
interface BundleGroup extends Omit<ClaimedGroup, 'messages'> {
  readonly id: string;
  readonly place: string;
  readonly event_ids: string;
  /** Whether it can be sent as a whole; otherwise each message must be claimed individually. */
  readonly whole: boolean;
}

function rowsOfBundle(group: BundleGroup): ClaimedRow[] {
  const { team_id, environment, endpoint_id, place, revision, troubled, clock_offset_ms } = group;
  const events = group.event_ids.slice(1, -1).split(',');
  const bundle: MessageBundle = { id: group.id, place, size: events.length, unpacked: false };
  return events.map((event_id, at) => ({
    team_id,
    environment,
    id: bundledMessageId(bundle.id, at + 1),
    endpoint_id,
    event_id,
    place,
    bundle,
    attempts: 0,
    revision,
    troubled,
    clock_offset_ms,
  }));
}

export interface ClaimedBundles {
  /** The messages of bundles that can be sent as a whole. */
  readonly rows: readonly ClaimedRow[];
  /** Bundles to unpack first: those of failing or rate-limited endpoints, which get few messages at a time. */
  readonly toUnpack: readonly BundleKey[];
  /** The endpoint at which the scan stopped because the limit was reached. */
  readonly last: string | undefined;
}

/**
 * Claims whole bundles. Runs after `claimDeliveries` in the same transaction, and adds to its lease. An endpoint with
 * room for one message gets a whole bundle, but no more than one next to single messages. A failing endpoint gets a
 * bundle unpacked only after its single messages are done.
 */
export async function claimBundles(
  tx: Tx,
  claim: DeliveryClaim & { after: string },
): Promise<ClaimedBundles> {
  const { now, leasedUntil, limit, ids, rooms, after, sender } = claim;
  const { rows } = await sql<BundleGroup>`
    with recursive waiting as (
      (select endpoint_id from webhook_bundle where endpoint_id > ${after}::uuid order by endpoint_id limit 1)
      union all
      select (select b.endpoint_id from webhook_bundle b
        where b.endpoint_id > waiting.endpoint_id order by b.endpoint_id limit 1)
      from waiting where waiting.endpoint_id is not null),
    known as materialized (select * from unnest(${ids}::uuid[], ${rooms}::int[]) as known (endpoint_id, room)),
    held as materialized (
      select unnest(messages) as id from webhook_lease where sender = ${sender}::uuid
      union all ${leasedByOthers(claim)}),
    picked as materialized (
      select b.*, e.revision, e.troubled, e.clock_offset_ms, e.whole from waiting
      cross join lateral (select e.first_failure_at is null and e.rate_limit is null as whole, ${endpointColumns}
        from webhook_endpoint e where e.id = waiting.endpoint_id and e.disabled_at is null offset 0) e
      left join known on known.endpoint_id = waiting.endpoint_id
      cross join lateral (select coalesce(known.room, ${INITIAL_ROOM}::int) as messages,
        exists (select from webhook_delivery d where d.endpoint_id = waiting.endpoint_id and d.status = 'pending'
          and d.due_wall <= ${now}) as singles offset 0) room
      cross join lateral (
        select team_id, environment, id, endpoint_id, event_ids, ctid::text as place from webhook_bundle
        where endpoint_id = waiting.endpoint_id and due_wall <= ${now} and id not in (select id from held)
        order by due_wall limit case
          when not e.whole then (not room.singles)::int
          when room.messages < 1 then 0
          when room.singles then 1
          else greatest(1, (room.messages + ${BUNDLE_MAX / 2}::int) / ${BUNDLE_MAX}::int) end) b
      limit ${limit}),
    leased as (
      insert into webhook_lease as l (sender, leased_until, messages)
      select ${sender}::uuid, ${leasedUntil}::timestamptz, array(select id from picked where whole)
      where exists (select from picked where whole)
      on conflict (sender) do update
        set leased_until = excluded.leased_until, messages = l.messages || excluded.messages)
    select team_id, environment, id, endpoint_id, event_ids::text, place, revision, troubled, clock_offset_ms, whole
    from picked`.execute(tx);
  return {
    rows: rows.filter(({ whole }) => whole).flatMap(rowsOfBundle),
    toUnpack: rows.filter(({ whole }) => !whole),
    last: rows.length < limit ? undefined : rows.at(-1)?.endpoint_id,
  };
}
