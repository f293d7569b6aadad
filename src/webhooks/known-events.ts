import { LRUCache } from 'lru-cache';
import { eventBody } from '../events/events.ts';
import { MINUTE } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import { listEvents, type ClaimedRow, type EventRow } from './claim-store.ts';

/** An event as the sender needs it, read and opened once and not for every endpoint. */
export interface KnownEvent {
  readonly type: string;
  readonly test: boolean;
  readonly body: (cipher: TenantCipher) => Buffer;
}

export interface EventsOfClaim {
  /** By `eventKey`. */
  readonly known: ReadonlyMap<string, KnownEvent>;
  /** Those that are about a deleted user. */
  readonly hidden: ReadonlySet<string>;
}

export interface KnownEvents {
  /** The events of claimed messages. Whether their users were deleted is asked every time. */
  of(tx: Tx, rows: readonly ClaimedRow[]): Promise<EventsOfClaim>;
}

const REMEMBERED_BYTES = 32 * 1024 * 1024;
/** What is erased is not kept in memory for longer than this. */
const REMEMBERED_MS = MINUTE;
/** Sealed data are deflated; opened they take about so many times as much. */
const OPENED_TIMES = 4;
const OWN_BYTES = 1000;

export const eventKey = (row: Pick<ClaimedRow, 'team_id' | 'environment' | 'event_id'>): string =>
  `${row.team_id}/${row.environment}/${row.event_id}`;

export function openKnownEvents(): KnownEvents {
  const remembered = new LRUCache<string, KnownEvent>({ maxSize: REMEMBERED_BYTES, ttl: REMEMBERED_MS });
  return {
    of: async (tx, rows) => {
      const wanted = new Map(rows.map((row) => [eventKey(row), row]));
      const known = new Map<string, KnownEvent>();
      for (const key of wanted.keys()) {
        const event = remembered.get(key);
        if (event) known.set(key, event);
      }
      const asked = [...wanted].map(([key, row]) => ({ ...row, unread: !known.has(key) }));
      const found = asked.length > 0 ? await listEvents(tx, asked) : [];
      for (const row of found) {
        if (row.data === null) continue;
        const event = eventOf({ ...row, data: row.data });
        known.set(eventKey(row), event);
        remembered.set(eventKey(row), event, { size: row.data.length * OPENED_TIMES + OWN_BYTES });
      }
      return { known, hidden: new Set(found.filter(({ hidden }) => hidden).map(eventKey)) };
    },
  };
}

function eventOf(row: EventRow & { data: Buffer }): KnownEvent {
  let body: Buffer | undefined;
  return {
    type: row.event_type,
    test: row.test,
    body: (cipher) => (body ??= Buffer.from(eventBody({ cipher }, row))),
  };
}
