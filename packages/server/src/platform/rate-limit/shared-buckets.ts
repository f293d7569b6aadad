/**
 * Token buckets that several processes share. A process takes tokens from a shared bucket in chunks of one percent of a
 * minute, so that most requests cost no round trip; a refusal is remembered for up to a second. A process can waste at
 * most one chunk of each bucket. While the store fails, each process counts for itself.
 */
import { LRUCache } from 'lru-cache';
import { MINUTE, SECOND } from '../clock.ts';
import type { TokenGrant, TokenRequest } from './store.ts';
import { priceOf, type BucketQuota, type TakenTokens, type TakeTokens } from './token-buckets.ts';

const CHUNKS_PER_MINUTE = 100;
const BUCKETS_MAX = 50_000;
/** How long only the memory counts after the store has failed. */
const FALLBACK_MS = 5 * SECOND;
/** A refused bucket is asked again after this time at most. */
const REFUSED_MS = SECOND;

/** What a process knows about a shared bucket. */
interface Reserve {
  tokens: number;
  /** The level of the shared bucket when it was read last. */
  level: number;
  refusedUntilMs: number;
}

interface SharedBucketOptions {
  readonly take: (requests: readonly TokenRequest[]) => Promise<readonly TokenGrant[]>;
  /** Counts while the store fails. */
  readonly fallback: TakeTokens;
  readonly nowMs: () => number;
  readonly onFailure: (error: unknown) => void;
}

export function createSharedBuckets(options: SharedBucketOptions) {
  const { take, fallback, nowMs, onFailure } = options;
  // A reserve that nobody used for a minute is given up: its bucket is full again by then.
  const reserves = new LRUCache<string, Reserve>({ max: BUCKETS_MAX, ttl: MINUTE, updateAgeOnGet: true });
  let failedUntilMs = -Infinity;
  const reserveOf = (bucket: string): Reserve => {
    const known = reserves.get(bucket);
    if (known) return known;
    const made = { tokens: 0, level: 0, refusedUntilMs: -Infinity };
    reserves.set(bucket, made);
    return made;
  };
  const refill = async (quotas: readonly BucketQuota[], cost: number): Promise<void> => {
    const now = nowMs();
    const requests = quotas.flatMap((quota) => {
      const reserve = reserveOf(quota.bucket);
      const need = priceOf(quota, cost) - reserve.tokens;
      if (need <= 0 || now < reserve.refusedUntilMs) return [];
      const { bucket, perMinute } = quota;
      return [{ bucket, perMinute, need, want: need + perMinute / CHUNKS_PER_MINUTE }];
    });
    if (requests.length === 0) return;
    for (const { bucket, granted, level } of await take(requests)) {
      const reserve = reserveOf(bucket);
      reserve.tokens += granted;
      reserve.level = level;
      if (granted === 0) reserve.refusedUntilMs = now + REFUSED_MS;
    }
  };
  return async (quotas: readonly BucketQuota[], cost: number): Promise<TakenTokens> => {
    if (nowMs() < failedUntilMs) return fallback(quotas, cost);
    try {
      await refill(quotas, cost);
    } catch (error) {
      failedUntilMs = nowMs() + FALLBACK_MS;
      onFailure(error);
      return fallback(quotas, cost);
    }
    const priced = quotas.map((quota) => ({
      reserve: reserveOf(quota.bucket),
      price: priceOf(quota, cost),
    }));
    const isTaken = priced.every(({ reserve, price }) => reserve.tokens >= price);
    if (isTaken) for (const { reserve, price } of priced) reserve.tokens -= price;
    return { isTaken, levels: priced.map(({ reserve }) => reserve.level + reserve.tokens) };
  };
}
