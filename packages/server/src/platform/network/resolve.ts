import { lookup, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

export type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
/** Resolves all addresses of a host name. */
export type ResolveHostname = (hostname: string, found: LookupCallback) => void;

/** The speed of the last lookup of a name. */
type ResolverSpeed = 'new' | 'quick' | 'slow';

/** A lookup within this time is fast. */
const QUICK_MS = 1000;
/**
 * Concurrent lookups. Each holds one of the four threads that Node shares with reading files and with cryptography until
 * the name server answers, which takes half a minute when it is gone: one thread is never used for names, and one more
 * only for names that were fast before.
 */
const AT_ONCE = { all: 3, unproven: 2, slow: 1 } as const;
const REMEMBERED_MAX = 10_000;

/**
 * Shares concurrent lookups of the same name, lets names go first that were fast before, and queues those whose name
 * server did not respond.
 */
export function openResolver(ask: ResolveHostname = systemResolver): ResolveHostname {
  const speeds = new LRUCache<string, ResolverSpeed>({ max: REMEMBERED_MAX });
  const asking = new Map<string, LookupCallback[]>();
  const busy: Record<ResolverSpeed, number> = { quick: 0, new: 0, slow: 0 };
  const queues: Record<ResolverSpeed, string[]> = { quick: [], new: [], slow: [] };

  const hasRoom: Record<ResolverSpeed, () => boolean> = {
    quick: () => busy.quick + busy.new + busy.slow < AT_ONCE.all,
    new: () => hasRoom.quick() && busy.new + busy.slow < AT_ONCE.unproven,
    slow: () => hasRoom.new() && busy.slow < AT_ONCE.slow,
  };
  const start = (speed: ResolverSpeed): boolean => {
    const hostname = hasRoom[speed]() ? queues[speed].shift() : undefined;
    if (hostname === undefined) return false;
    busy[speed] += 1;
    const from = performance.now();
    ask(hostname, (error, addresses) => {
      busy[speed] -= 1;
      speeds.set(hostname, performance.now() - from < QUICK_MS ? 'quick' : 'slow');
      const waiting = asking.get(hostname) ?? [];
      asking.delete(hostname);
      for (const found of waiting) found(error, addresses);
      startNext();
    });
    return true;
  };
  const startNext = () => {
    while (start('quick') || start('new') || start('slow'));
  };
  return (hostname, found) => {
    const others = asking.get(hostname);
    if (others) {
      others.push(found);
      return;
    }
    asking.set(hostname, [found]);
    const speed = speeds.get(hostname) ?? 'new';
    queues[speed].push(hostname);
    startNext();
  };
}

/** The system resolver, with its hosts file and search domains. */
const systemResolver: ResolveHostname = (hostname, found) =>
  lookup(hostname, { all: true }, (error, addresses) => found(error, addresses ?? []));

/** One per process, because the threads are shared. */
export const resolveHostname: ResolveHostname = openResolver();

/** A name that has not been resolved after this time is given up; its lookup goes on, and others wait for their turn. */
const RESOLVE_TIMEOUT_MS = 5000;

/** All addresses of a host, which may be an address; rejects with an Error when there are none in time. */
export async function resolveAddresses(
  host: string,
  resolve: ResolveHostname = resolveHostname,
): Promise<string[]> {
  if (isIP(host) !== 0) return [host];
  return new Promise((found, failed) => {
    const late = setTimeout(
      () => failed(new Error(`${host} could not be resolved in time`)),
      RESOLVE_TIMEOUT_MS,
    );
    resolve(host, (error, addresses) => {
      clearTimeout(late);
      if (error) failed(new Error(`${host} could not be resolved`, { cause: error }));
      else found(addresses.map(({ address }) => address));
    });
  });
}
