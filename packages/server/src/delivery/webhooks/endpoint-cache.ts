import { LRUCache } from 'lru-cache';
import { countLookup } from '../../platform/cache-lookups.ts';
import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { ClaimedRow } from './claim-store.ts';
import { openHeaders, type CustomHeaders } from './headers.ts';
import { lazily } from './lazily.ts';
import { addressOf, type RequestAddress } from './http-poster.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { listSenderEndpoints, type SenderEndpoint } from './store.ts';

/** An endpoint as the sender needs it, decrypted once and not for every message. */
export interface CachedEndpoint {
  readonly url: string;
  readonly address: () => RequestAddress;
  readonly headers: () => AddedHeaders;
  readonly secrets: () => Secrets;
}

/** The custom headers of an endpoint. */
interface AddedHeaders {
  readonly names: string[];
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[];
}

export interface EndpointCache {
  /** Loads the endpoints that are not cached. The cache key contains the revision, so a change is effective at once. */
  load(tx: Tx, rows: readonly ClaimedRow[]): Promise<void>;
  get(row: ClaimedRow, cipher: TenantCipher): CachedEndpoint | undefined;
}

const ENTRIES_MAX = 5000;

export function openEndpointCache(): EndpointCache {
  const read = new LRUCache<string, SenderEndpoint>({ max: ENTRIES_MAX });
  const opened = new WeakMap<SenderEndpoint, CachedEndpoint>();
  return {
    load: async (tx, rows) => {
      const missing = oneOfEachEndpoint(rows).filter((row) => {
        const isKnown = read.has(keyOf(row.endpoint_id, row.revision));
        countLookup('webhook_endpoint', isKnown);
        return !isKnown;
      });
      if (missing.length === 0) return;
      const found = await listSenderEndpoints(
        tx,
        missing.map(({ endpoint_id }) => endpoint_id),
      );
      const revisions = new Map(missing.map((row) => [row.endpoint_id, row.revision]));
      for (const endpoint of found) {
        read.set(keyOf(endpoint.id, revisions.get(endpoint.id) ?? endpoint.revision), endpoint);
      }
    },
    get: (row, cipher) => {
      const endpoint = read.get(keyOf(row.endpoint_id, row.revision));
      if (!endpoint) return undefined;
      const known = opened.get(endpoint) ?? open(endpoint, cipher);
      opened.set(endpoint, known);
      return known;
    },
  };
}

/** One message of each endpoint. */
const oneOfEachEndpoint = (rows: readonly ClaimedRow[]): ClaimedRow[] => [
  ...new Map(rows.map((row) => [row.endpoint_id, row])).values(),
];

const keyOf = (id: string, revision: number): string => `${id}/${revision}`;

const open = ({ url, headers, secrets }: SenderEndpoint, cipher: TenantCipher): CachedEndpoint => ({
  url,
  address: lazily(() => addressOf(url)),
  headers: lazily(() => toAddedHeaders(openHeaders(cipher, headers))),
  secrets: lazily(() => openSecrets(cipher, secrets)),
});

const toAddedHeaders = (headers: CustomHeaders): AddedHeaders => ({
  names: Object.keys(headers),
  rawHeaders: Object.entries(headers).flat(),
});
