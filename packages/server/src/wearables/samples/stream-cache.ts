import { LRUCache } from 'lru-cache';
import { countLookup } from '../../platform/cache-lookups.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { ReadingOrigin } from '../../readings/readings.ts';
import { toStoredSource, type KnownWorkout } from './origins.ts';
import type { KnownStreamPut, CachedStream } from './put-store.ts';

/** A recently used stream and source. Cached state may be stale: writes verify it in the database. */
interface StreamCacheEntry extends CachedStream {
  /** The latest timestamp written by this process. Only later samples are appends. */
  lastAt: number;
}

const STREAMS_MAX = 20_000;
const cache = new LRUCache<string, StreamCacheEntry>({ max: STREAMS_MAX });

interface StreamCacheInput {
  readonly userId: string;
  readonly resource: string;
  readonly type: string;
  readonly origin: ReadingOrigin & KnownWorkout;
}

/** Covers everything that identifies or describes the stream and the source. */
export function toCacheKey(
  { teamId, environment }: Tenant,
  { userId, resource, type, origin }: StreamCacheInput,
): string {
  const { provider, appId, device, workout, workoutId } = origin;
  const of = device && [device.id, device.manufacturer, device.model, device.version];
  const by = workout && [workout.key, workout.sport];
  return JSON.stringify([
    teamId,
    environment,
    userId,
    resource,
    type,
    provider,
    origin.type,
    appId,
    of,
    by,
    workoutId,
  ]);
}

interface BatchSpan {
  readonly first: number;
  readonly last: number;
}

/** The cached stream, if the span is after everything that this process wrote. Advances the cache to the span's end. */
export function findCached(key: string, { first, last }: BatchSpan): CachedStream | undefined {
  const memory = cache.get(key);
  const isUsable = memory !== undefined && first > memory.lastAt;
  countLookup('sample_stream', isUsable);
  if (!isUsable) return undefined;
  memory.lastAt = last;
  return memory;
}

export const evict = (key: string): void => void cache.delete(key);

/** Caches the stream of a write whose origin had no new details. */
export const cacheStream = (key: string, put: KnownStreamPut, { last }: BatchSpan): void =>
  void cache.set(key, {
    streamId: put.stream_id,
    source: { ...toStoredSource(put), deviceChange: null },
    originsVersion: put.origins_version,
    lastAt: last,
  });
