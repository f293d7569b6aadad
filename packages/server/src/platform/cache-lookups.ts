/** The caches whose lookups are counted; docs/how-to/monitor.md says what each is for. */
const CACHES = [
  'api_key',
  'availability',
  'clock_offset',
  'data_key',
  'lab_connection',
  'lab_message',
  'lab_test',
  'management_key',
  'member',
  'sample_stream',
  'unwrapped_key',
  'webhook_endpoint',
  'webhook_event',
] as const;
type CacheName = (typeof CACHES)[number];

interface CacheLookups {
  hits: number;
  misses: number;
}

/** Of this process: most caches belong to a module and not to a service. A lookup costs an addition. */
const lookups = Object.fromEntries(CACHES.map((name) => [name, { hits: 0, misses: 0 }])) as Record<
  CacheName,
  CacheLookups
>;

export function countLookup(name: CacheName, isHit: boolean): void {
  const count = lookups[name];
  if (isHit) count.hits += 1;
  else count.misses += 1;
}

/** Looks a value up, and counts whether it was there. */
export function lookUpCounted<V>(
  name: CacheName,
  cache: { get(key: string): V | undefined },
  key: string,
): V | undefined {
  const value = cache.get(key);
  countLookup(name, value !== undefined);
  return value;
}

export const listCacheLookups = (): readonly (readonly [name: string, Readonly<CacheLookups>])[] =>
  Object.entries(lookups);
