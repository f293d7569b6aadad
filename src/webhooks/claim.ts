import type { App } from '../app.ts';
import { later, SECOND } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { claimDeliveries, claimLimited, holdHidden, type ClaimedRow } from './claim-store.ts';
import { forQueue } from './delivery-store.ts';
import { openKnownEndpoints, type KnownEndpoint, type KnownEndpoints } from './known-endpoints.ts';
import { eventKey, openKnownEvents, type KnownEvent, type KnownEvents } from './known-events.ts';
import type { Lanes } from './lanes.ts';

/** After this time without a word from the sender, its messages are anybody's again. */
const LEASE_MS = 60 * SECOND;
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

export interface Claims {
  /** Leases about `limit` messages at most; the walk over the endpoints goes on where the last one ended. */
  take(limit: number, lanes: Lanes): Promise<Taken>;
}

interface Known {
  readonly endpoints: KnownEndpoints;
  readonly events: KnownEvents;
}

export function openClaims(app: App): Claims {
  const known: Known = { endpoints: openKnownEndpoints(), events: openKnownEvents() };
  let after = BEFORE_ALL;
  return {
    take: async (limit, lanes) => {
      const from = after;
      const now = app.clock.now();
      const claim = { now, leasedUntil: later(now, LEASE_MS), limit, ...lanes.rooms() };
      const { plain, limited, claimed } = await asSystem(app.db, async (tx) => {
        const [, some, paced] = await Promise.all([
          forQueue(tx),
          claimDeliveries(tx, { ...claim, after: from }),
          claimLimited(tx, claim),
        ]);
        return {
          plain: some,
          limited: paced,
          claimed: await together(app, tx, { known, rows: [...some, ...paced] }),
        };
      });
      const full = plain.length >= limit;
      after = full ? lastEndpoint(plain) : BEFORE_ALL;
      return { claimed, limited: limited.length > 0, more: full || from !== BEFORE_ALL };
    },
  };
}

const lastEndpoint = (rows: readonly ClaimedRow[]): string =>
  rows.reduce((last, { endpoint_id }) => (endpoint_id > last ? endpoint_id : last), BEFORE_ALL);

/** What was leased with all that it takes to send it, but for what is held. */
async function together(
  app: App,
  tx: Tx,
  { known, rows }: { known: Known; rows: readonly ClaimedRow[] },
): Promise<Claimed[]> {
  if (rows.length === 0) return [];
  const [events] = await Promise.all([known.events.of(tx, rows), known.endpoints.remember(tx, rows)]);
  const hidden = rows.filter((row) => events.hidden.has(eventKey(row)));
  const held = hidden.length > 0 ? await holdHidden(tx, hidden) : undefined;
  const claimed: Claimed[] = [];
  for (const row of rows) {
    const event = events.known.get(eventKey(row));
    if (!event || held?.has(row.id)) continue;
    const tenant = { teamId: row.team_id, environment: row.environment };
    const cipher = app.keyring.atHand(tenant) ?? (await app.keyring.of(tenant, tx));
    claimed.push({ row, event, cipher, endpoint: known.endpoints.of(row, cipher) });
  }
  return claimed;
}
