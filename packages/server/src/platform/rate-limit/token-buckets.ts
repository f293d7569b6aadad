import { LRUCache } from 'lru-cache';
import { MINUTE } from '../clock.ts';

/** What a bucket holds when it is full, and how much flows in within a minute. */
export interface BucketQuota {
  readonly bucket: string;
  readonly perMinute: number;
}

/** Tells whether all buckets had enough, and the level of each in the order they were given. */
export interface TakenTokens {
  readonly isTaken: boolean;
  readonly levels: readonly number[];
}

/** Takes the same number of tokens from several buckets at once: from all of them, or from none. */
export type TakeTokens = (quotas: readonly BucketQuota[], cost: number) => TakenTokens;

interface Bucket {
  /** Tokens times the milliseconds of a minute: integers, so that a bucket that filled for a minute is exactly full. */
  level: number;
  updatedMs: number;
}

/** A bucket that was forgotten is full, as one that was not used for a minute is. */
const BUCKETS_MAX = 50_000;

/**
 * Token buckets in the memory of this process. They store a level and when it was true, not a time in the future: when
 * the clock is set back, a bucket stops filling for no longer than it takes to read the clock twice, and when the clock
 * jumps ahead, it is full at most.
 */
export function createTokenBuckets(nowMs: () => number): TakeTokens {
  const buckets = new LRUCache<string, Bucket>({ max: BUCKETS_MAX });
  const refill = ({ bucket: name, perMinute }: BucketQuota, now: number): Bucket => {
    const known = buckets.get(name);
    const bucket = known ?? { level: perMinute * MINUTE, updatedMs: now };
    if (!known) buckets.set(name, bucket);
    const elapsedMs = Math.min(MINUTE, Math.max(0, now - bucket.updatedMs));
    bucket.level = Math.min(perMinute * MINUTE, bucket.level + elapsedMs * perMinute);
    bucket.updatedMs = now;
    return bucket;
  };
  return (quotas, cost) => {
    const now = nowMs();
    const filled = quotas.map((quota) => ({
      bucket: refill(quota, now),
      price: priceOf(quota, cost) * MINUTE,
    }));
    const isTaken = filled.every(({ bucket, price }) => bucket.level >= price);
    if (isTaken) for (const { bucket, price } of filled) bucket.level -= price;
    return { isTaken, levels: filled.map(({ bucket }) => bucket.level / MINUTE) };
  };
}

/** An operation that costs more than a full bucket takes a full one, or it could never run. */
export const priceOf = ({ perMinute }: BucketQuota, cost: number): number => Math.min(cost, perMinute);
