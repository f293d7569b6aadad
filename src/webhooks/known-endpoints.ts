import { LRUCache } from 'lru-cache';
import type { TenantCipher } from '../platform/crypto/cipher.ts';
import type { Tx } from '../platform/db/database.ts';
import type { ClaimedRow } from './claim-store.ts';
import { openHeaders, type CustomHeaders } from './headers.ts';
import { lazily } from './lazily.ts';
import { addressOf, type Address } from './post.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { listToSend, type EndpointToSend } from './store.ts';

/** An endpoint as the sender needs it, opened once and not for every message. */
export interface KnownEndpoint {
  readonly url: string;
  readonly address: () => Address;
  readonly headers: () => Added;
  readonly secrets: () => Secrets;
}

/** Its custom headers. */
interface Added {
  readonly names: string[];
  /** Names and values by turns. */
  readonly turns: readonly string[];
}

export interface KnownEndpoints {
  /** Reads the endpoints that are not at hand. They are kept by revision, so that a change is seen at once. */
  remember(tx: Tx, rows: readonly ClaimedRow[]): Promise<void>;
  of(row: ClaimedRow, cipher: TenantCipher): KnownEndpoint | undefined;
}

const REMEMBERED_MAX = 5000;

export function openKnownEndpoints(): KnownEndpoints {
  const read = new LRUCache<string, EndpointToSend>({ max: REMEMBERED_MAX });
  const opened = new WeakMap<EndpointToSend, KnownEndpoint>();
  return {
    remember: async (tx, rows) => {
      const missing = ofEach(rows).filter((row) => !read.has(keyOf(row.endpoint_id, row.revision)));
      if (missing.length === 0) return;
      const found = await listToSend(
        tx,
        missing.map(({ endpoint_id }) => endpoint_id),
      );
      const revisions = new Map(missing.map((row) => [row.endpoint_id, row.revision]));
      for (const endpoint of found) {
        read.set(keyOf(endpoint.id, revisions.get(endpoint.id) ?? endpoint.revision), endpoint);
      }
    },
    of: (row, cipher) => {
      const endpoint = read.get(keyOf(row.endpoint_id, row.revision));
      if (!endpoint) return undefined;
      const known = opened.get(endpoint) ?? open(endpoint, cipher);
      opened.set(endpoint, known);
      return known;
    },
  };
}

/** A message of each endpoint. */
const ofEach = (rows: readonly ClaimedRow[]): ClaimedRow[] => [
  ...new Map(rows.map((row) => [row.endpoint_id, row])).values(),
];

const keyOf = (id: string, revision: number): string => `${id}/${revision}`;

const open = ({ url, headers, secrets }: EndpointToSend, cipher: TenantCipher): KnownEndpoint => ({
  url,
  address: lazily(() => addressOf(url)),
  headers: lazily(() => added(openHeaders(cipher, headers))),
  secrets: lazily(() => openSecrets(cipher, secrets)),
});

const added = (headers: CustomHeaders): Added => ({
  names: Object.keys(headers),
  turns: Object.entries(headers).flat(),
});
