import { LRUCache } from 'lru-cache';
import type { App } from '../app.ts';
import { later, SECOND } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { claimDeliveries, claimLimited, type ClaimedRow } from './claim-store.ts';
import { byIndexOnly } from './delivery-store.ts';
import type { Lanes } from './lanes.ts';
import * as store from './store.ts';

/** After this time without a word from the sender, its messages are anybody's again. */
const LEASE_MS = 60 * SECOND;
const REMEMBERED_ENDPOINTS = 5000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** A message that may be sent: its event, its endpoint (undefined if it was deleted meanwhile), what opens both. */
export interface Claimed {
  readonly row: ClaimedRow;
  readonly endpoint: store.EndpointToSend | undefined;
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

type Endpoints = LRUCache<string, store.EndpointToSend>;

export function openClaims(app: App): Claims {
  const endpoints: Endpoints = new LRUCache({ max: REMEMBERED_ENDPOINTS });
  let after = BEFORE_ALL;
  return {
    take: async (limit, lanes) => {
      const from = after;
      const now = app.clock.now();
      const claim = { now, leasedUntil: later(now, LEASE_MS), limit, ...lanes.rooms() };
      const { plain, limited } = await asSystem(app.db, async (tx) => {
        const [, some, paced] = await Promise.all([
          byIndexOnly(tx),
          claimDeliveries(tx, { ...claim, after: from }),
          claimLimited(tx, claim),
        ]);
        await remember(tx, endpoints, [...some, ...paced]);
        return { plain: some, limited: paced };
      });
      const full = plain.length >= limit;
      after = full ? lastEndpoint(plain) : BEFORE_ALL;
      return {
        claimed: await Promise.all(
          [...plain, ...limited].filter(({ hidden }) => !hidden).map((row) => together(app, endpoints, row)),
        ),
        limited: limited.length > 0,
        more: full || from !== BEFORE_ALL,
      };
    },
  };
}

/** Reads the endpoints that are not at hand. They are kept by revision, so that a change is seen at once. */
async function remember(tx: Tx, endpoints: Endpoints, rows: readonly ClaimedRow[]): Promise<void> {
  const missing = rows.filter((row) => !endpoints.has(keyOf(row.endpoint_id, row.revision)));
  if (missing.length === 0) return;
  const found = await store.listToSend(tx, [...new Set(missing.map(({ endpoint_id }) => endpoint_id))]);
  const revisions = new Map(missing.map((row) => [row.endpoint_id, row.revision]));
  for (const endpoint of found) {
    endpoints.set(keyOf(endpoint.id, revisions.get(endpoint.id) ?? endpoint.revision), endpoint);
  }
}

const keyOf = (id: string, revision: number): string => `${id}/${revision}`;

const lastEndpoint = (rows: readonly ClaimedRow[]): string =>
  rows.reduce((last, { endpoint_id }) => (endpoint_id > last ? endpoint_id : last), BEFORE_ALL);

async function together(app: App, endpoints: Endpoints, row: ClaimedRow): Promise<Claimed> {
  const tenant = { teamId: row.team_id, environment: row.environment };
  const cipher = app.keyring.atHand(tenant) ?? (await app.keyring.of(tenant));
  return { row, cipher, endpoint: endpoints.get(keyOf(row.endpoint_id, row.revision)) };
}
