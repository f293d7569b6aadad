import { LRUCache } from 'lru-cache';
import { serializeEventBody } from '../../events/events.ts';
import { countLookup } from '../../platform/cache-lookups.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { toTenant } from '../../platform/db/tenant-rows.ts';
import { listEvents, type EventLookup, type ClaimedRow, type ClaimedEventRow } from './claim-store.ts';

/** An event as the sender needs it, read and decrypted once and not for every endpoint. */
export interface CachedEvent {
  readonly tenant: Tenant;
  readonly type: string;
  readonly test: boolean;
  /** On the tenant's clock. */
  readonly createdAt: Date;
  /** The trace of what caused it. */
  readonly traceparent: string | null;
  /** The approximate size of its body. */
  readonly bytes: number;
  readonly body: (cipher: TenantCipher) => Buffer;
}

interface ClaimEvents {
  /** Undefined for an erased event. */
  readonly known: (row: ClaimedRow) => CachedEvent | undefined;
  /** Whether the event is about a deleted user. */
  readonly isHidden: (row: ClaimedRow) => boolean;
}

export interface EventCache {
  /** The events of claimed messages. Whether their users are deleted is always read from the database. */
  load(tx: Tx, rows: readonly ClaimedRow[]): Promise<ClaimEvents>;
}

const CACHE_BYTES = 32 * 1024 * 1024;
/** An erased event stays in memory no longer than this. */
const CACHE_TTL_MS = MINUTE;
/** Sealed data are compressed; decompressed they are about this many times larger. */
const EXPANSION_FACTOR = 4;
const OWN_BYTES = 1000;

export function openEventCache(): EventCache {
  const remembered = new LRUCache<string, CachedEvent>({ maxSize: CACHE_BYTES, ttl: CACHE_TTL_MS });
  return {
    load: async (tx, rows) => {
      const asked = new Map<string, EventLookup>();
      const atHand = (row: ClaimedRow): CachedEvent | undefined => {
        const event = remembered.get(row.event_id);
        return event && belongsTo(event, row) ? event : undefined;
      };
      for (const row of rows) {
        if (asked.has(row.event_id)) continue;
        const { team_id, environment, event_id } = row;
        const unread = atHand(row) === undefined;
        countLookup('webhook_event', !unread);
        asked.set(event_id, { team_id, environment, event_id, unread });
      }
      const found = asked.size > 0 ? await listEvents(tx, [...asked.values()]) : [];
      // A cached event that was not found has been erased meanwhile.
      const known = new Map<string, CachedEvent>();
      const hidden = new Set<string>();
      for (const row of found) {
        if (row.hidden) hidden.add(row.event_id);
        const event = row.data === null ? remembered.get(row.event_id) : eventOf({ ...row, data: row.data });
        if (!event) continue;
        known.set(row.event_id, event);
        if (row.data === null) continue;
        remembered.set(row.event_id, event, { size: event.bytes + OWN_BYTES });
      }
      return {
        known: (row) => {
          const event = known.get(row.event_id);
          return event && belongsTo(event, row) ? event : undefined;
        },
        isHidden: (row) => hidden.has(row.event_id),
      };
    },
  };
}

/** Ids are unique, but the owner is checked anyway. */
const belongsTo = ({ tenant }: CachedEvent, row: ClaimedRow): boolean =>
  tenant.teamId === row.team_id && tenant.environment === row.environment;

function eventOf(row: ClaimedEventRow & { data: Buffer }): CachedEvent {
  let body: Buffer | undefined;
  return {
    tenant: toTenant(row),
    type: row.event_type,
    test: row.test,
    createdAt: row.created_at,
    traceparent: row.traceparent,
    bytes: row.data.length * EXPANSION_FACTOR,
    body: (cipher) => (body ??= Buffer.from(serializeEventBody({ cipher }, row))),
  };
}
