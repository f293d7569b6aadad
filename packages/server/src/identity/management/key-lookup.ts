import { LRUCache } from 'lru-cache';
import { DomainError } from '../../platform/errors.ts';
import { createFairLimit, QueueFullError } from '../../platform/fair-limit.ts';
import { networkOfAddress } from '../../platform/network-of-address.ts';

const KNOWN_MAX = 20_000;
const WAITING_MAX = 10_000;
const WAITING_PER_NETWORK = 1000;
const RETRY_SECONDS = 1;
/** The turn that all keys share which were valid before, wherever they are used. */
const KNOWN_KEYS = 'known';

/** A key as a request has it, and the address that the request comes from. */
export interface GivenKey {
  readonly key: string;
  readonly address: string;
}

/** Where the results of lookups are cached. */
interface LookupCache<V> {
  get(key: string): V | undefined;
}

/** Runs the lookup of a key when it is its turn; the result of an equal lookup that ended meanwhile is used instead. */
export type KeyLookup = <V extends object | 'stranger'>(
  cache: LookupCache<V>,
  given: GivenKey,
  run: () => Promise<V>,
) => Promise<V>;

/**
 * Takes turns at looking up keys in the database, with at most half of its connections. An unknown key is not refused
 * without a lookup, because it may be a new one; so networks take turns, and keys that were valid before have a turn
 * of their own. A flood of invented keys then waits for itself. Rejects with a 429 if too many of a network wait.
 */
export function createKeyLookup(pool: number): KeyLookup {
  const concurrency = Math.max(1, Math.floor(pool / 2));
  const limit = createFairLimit({
    concurrency,
    concurrencyPerKey: Math.max(1, Math.floor(concurrency / 2)),
    waitingMax: WAITING_MAX,
    waitingPerKeyMax: WAITING_PER_NETWORK,
  });
  /** Decides only the turn of a key: a key that was revoked is refused by its lookup. */
  const known = new LRUCache<string, true>({ max: KNOWN_MAX });
  return async (cache, { key, address }, run) => {
    try {
      const turn = known.has(key) ? KNOWN_KEYS : networkOfAddress(address);
      const found = await limit(turn, async () => cache.get(key) ?? (await run()));
      if (found !== 'stranger') known.set(key, true);
      return found;
    } catch (error) {
      if (!(error instanceof QueueFullError)) throw error;
      throw new DomainError(
        'too_many',
        'Too many API keys are being checked. Try again in 1 second.',
        RETRY_SECONDS,
      );
    }
  };
}
