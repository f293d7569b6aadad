import { LRUCache } from 'lru-cache';
import { eventBody } from '../events/events.ts';
import { MINUTE } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import type { Tenant } from '../platform/tenant.ts';
import { listEvents, type AskedEvent, type ClaimedRow, type EventRow } from './claim-store.ts';

/** An event as the sender needs it, read and opened once and not for every endpoint. */
export interface KnownEvent {
  readonly tenant: Tenant;
  readonly type: string;
  readonly test: boolean;
  /** About as much as its body takes. */
  readonly bytes: number;
  readonly body: (cipher: TenantCipher) => Buffer;
}

export interface EventsOfClaim {
  /** undefined for one that is erased. */
  readonly known: (row: ClaimedRow) => KnownEvent | undefined;
  /** About a deleted user. */
  readonly isHidden: (row: ClaimedRow) => boolean;
}

export interface KnownEvents {
  /** The events of claimed messages. Whether their users were deleted is asked every time. */
  of(tx: Tx, rows: readonly ClaimedRow[]): Promise<EventsOfClaim>;
}

const REMEMBERED_BYTES = 32 * 1024 * 1024;
/** What is erased is not kept in memory for longer than this. */
const REMEMBERED_MS = MINUTE;
/** Sealed data are packed; opened they take about so many times as much. */
const OPENED_TIMES = 4;
const OWN_BYTES = 1000;

export function openKnownEvents(): KnownEvents {
  const remembered = new LRUCache<string, KnownEvent>({ maxSize: REMEMBERED_BYTES, ttl: REMEMBERED_MS });
  return {
    of: async (tx, rows) => {
      const asked = new Map<string, AskedEvent>();
      const atHand = (row: ClaimedRow): KnownEvent | undefined => {
        const event = remembered.get(row.event_id);
        return event && isOf(event, row) ? event : undefined;
      };
      for (const row of rows) {
        if (asked.has(row.event_id)) continue;
        const { team_id, environment, event_id } = row;
        asked.set(event_id, { team_id, environment, event_id, unread: atHand(row) === undefined });
      }
      const found = asked.size > 0 ? await listEvents(tx, [...asked.values()]) : [];
      // What is remembered and not found was erased meanwhile.
      const known = new Map<string, KnownEvent>();
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
          return event && isOf(event, row) ? event : undefined;
        },
        isHidden: (row) => hidden.has(row.event_id),
      };
    },
  };
}

/** Ids are not given twice; whose an event is, is looked at all the same. */
const isOf = ({ tenant }: KnownEvent, row: ClaimedRow): boolean =>
  tenant.teamId === row.team_id && tenant.environment === row.environment;

function eventOf(row: EventRow & { data: Buffer }): KnownEvent {
  let body: Buffer | undefined;
  return {
    tenant: { teamId: row.team_id, environment: row.environment },
    type: row.event_type,
    test: row.test,
    bytes: row.data.length * OPENED_TIMES,
    body: (cipher) => (body ??= Buffer.from(eventBody({ cipher }, row))),
  };
}
