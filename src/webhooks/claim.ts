import { LRUCache } from 'lru-cache';
import type { App } from '../app.ts';
import { later, SECOND } from '../platform/clock.ts';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { claimDeliveries, claimLimited, type ClaimedRow } from './delivery-store.ts';
import type { Lanes } from './lanes.ts';
import * as store from './store.ts';

/** After this time without a word from the sender, its messages are anybody's again. */
const LEASE_MS = 60 * SECOND;
const REMEMBERED_ENDPOINTS = 5000;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

/** A message that may be sent: its event, its endpoint (undefined if it was deleted meanwhile), and what opens both. */
export interface Claimed {
  readonly row: ClaimedRow;
  readonly endpoint: store.EndpointToSend | undefined;
  readonly cipher: TenantCipher;
}

export interface Claims {
  /** Leases up to about `limit` messages. `limited`: among them some of an endpoint with a rate limit. */
  take(limit: number, lanes: Lanes): Promise<{ claimed: Claimed[]; limited: boolean }>;
}

type Endpoints = LRUCache<string, store.EndpointToSend>;

export function openClaims(app: App): Claims {
  const endpoints: Endpoints = new LRUCache({ max: REMEMBERED_ENDPOINTS });
  let after = BEFORE_ALL;
  return {
    take: async (limit, lanes) => {
      const now = app.clock.now();
      const claim = { now, leasedUntil: later(now, LEASE_MS), limit, ...lanes.rooms() };
      const from = after;
      const { plain, limited, fresh } = await asSystem(app.db, async (tx) => {
        const [some, paced] = await Promise.all([
          claimDeliveries(tx, { ...claim, after: from }),
          claimLimited(tx, claim),
        ]);
        return { plain: some, limited: paced, fresh: await unknown(tx, endpoints, [...some, ...paced]) };
      });
      for (const endpoint of fresh) endpoints.set(keyOf(endpoint.id, endpoint.revision), endpoint);
      after = plain.length < limit ? BEFORE_ALL : lastOf(plain);
      const claimed = await Promise.all([...plain, ...limited].map((row) => together(app, endpoints, row)));
      // A walk that began in the middle has not seen the endpoints before it.
      if (claimed.length === 0 && from !== BEFORE_ALL) return openClaimsAgain(() => this_take(limit, lanes));
      return { claimed, limited: limited.length > 0 };
    },
  };
}
