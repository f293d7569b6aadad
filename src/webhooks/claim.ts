import type { App } from '../app.ts';
import { later, SECOND } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { newId } from '../platform/ids.ts';
import { claimDeliveries, claimLimited, holdHidden, type ClaimedRow } from './claim-store.ts';
import { forQueue } from './delivery-store.ts';
import { openKnownEndpoints, type KnownEndpoint, type KnownEndpoints } from './known-endpoints.ts';
import { openKnownEvents, type KnownEvent, type KnownEvents } from './known-events.ts';
import type { Lanes } from './lanes.ts';
import { endLease, lockClaims } from './lease-store.ts';

/** After this time without a word from the sender, its messages are anybody's again. */
export const LEASE_MS = 60 * SECOND;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** A message that may be sent: its event, its endpoint (undefined if it was deleted meanwhile), what opens both. */
export interface Claimed {
  readonly row: ClaimedRow;
  readonly event: KnownEvent;
  readonly endpoint: KnownEndpoint | undefined;
  readonly cipher: TenantCipher;
}

export interface Taken {
  readonly claimed: Claimed[];
  /** Some are of an endpoint with a rate limit, which may have more in a moment. */
  readonly limited: boolean;
  /** There may be more at once. */
  readonly more: boolean;
}

export interface Going {
  readonly lanes: Lanes;
  /** The ids of the messages that this sender has already. */
  onTheWay(): string[];
}

export interface Claims {
  /** Leases about `limit` messages at most; the walk over the endpoints goes on where the last one ended. */
  take(limit: number, going: Going): Promise<Taken>;
  /** Nothing is on its way any more. */
  end(): Promise<void>;
}

interface Known {
  readonly endpoints: KnownEndpoints;
  readonly events: KnownEvents;
}

export function openClaims(app: App): Claims {
  const known: Known = { endpoints: openKnownEndpoints(), events: openKnownEvents() };
  const sender = newId();
  let after = BEFORE_ALL;
  return {
    take: async (limit, { lanes, onTheWay }) => {
      const from = after;
      const now = app.clock.now();
      const leasedUntil = later(now, LEASE_MS);
      const claim = { now, sender, leasedUntil, flying: onTheWay(), limit, ...lanes.rooms() };
      const [plain, limited] = await asSystem(app.db, async (tx) => {
        const [, , ...taken] = await Promise.all([
          forQueue(tx),
          lockClaims(tx),
          claimDeliveries(tx, { ...claim, after: from }),
          claimLimited(tx, claim),
        ]);
        return taken;
      });
      const rows = [...plain, ...limited];
      const full = plain.length >= limit;
      after = full ? lastEndpoint(plain) : BEFORE_ALL;
      const claimed = rows.length > 0 ? await opened(app, { known, rows }) : [];
      return { claimed, limited: limited.length > 0, more: full || from !== BEFORE_ALL };
    },
    end: () => asSystem(app.db, (tx) => endLease(tx, sender)),
  };
}

/** Reads what belongs to leased messages. Should it fail, they are not on their way, and the next claim takes them. */
const opened = (app: App, some: { known: Known; rows: readonly ClaimedRow[] }): Promise<Claimed[]> =>
  asSystem(app.db, async (tx) => {
    const [, claimed] = await Promise.all([forQueue(tx), together(app, tx, some)]);
    return claimed;
  });

const lastEndpoint = (rows: readonly ClaimedRow[]): string =>
  rows.reduce((last, { endpoint_id }) => (endpoint_id > last ? endpoint_id : last), BEFORE_ALL);

/** What was leased with all that it takes to send it, but for what is held. */
async function together(
  app: App,
  tx: Tx,
  { known, rows }: { known: Known; rows: readonly ClaimedRow[] },
): Promise<Claimed[]> {
  const [events] = await Promise.all([known.events.of(tx, rows), known.endpoints.remember(tx, rows)]);
  const hidden = rows.filter(events.isHidden);
  if (hidden.length > 0) await holdHidden(tx, hidden);
  const claimed: Claimed[] = [];
  for (const row of rows) {
    const event = events.known(row);
    // Also what was not held: it was erased in this moment, or its user came back and the next claim takes it.
    if (!event || events.isHidden(row)) continue;
    const cipher = app.keyring.atHand(event.tenant) ?? (await app.keyring.of(event.tenant, tx));
    claimed.push({ row, event, cipher, endpoint: known.endpoints.of(row, cipher) });
  }
  return claimed;
}
