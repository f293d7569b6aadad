import { lookup, type LookupAddress } from 'node:dns';
import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

export type LookupCallback = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
/** Resolves all addresses of a host name. */
export type ResolveHostname = (hostname: string, found: LookupCallback) => void;

/** The speed of the last lookup of a name. */
type ResolverSpeed = 'new' | 'quick' | 'slow';

/** A lookup within this time is fast. */
const QUICK_MS = 1000;
/** Concurrent lookups. The system resolver has four threads, and fast names must always find one. */
const AT_ONCE: Record<ResolverSpeed, number> = { quick: Infinity, new: 2, slow: 1 };
const REMEMBERED_MAX = 10_000;

/**
 * Shares concurrent lookups of the same name, and queues names whose DNS server does not respond separately: each would
 * block a thread of the system resolver for half a minute.
 */
export function openResolver(ask: ResolveHostname = systemResolver): ResolveHostname {
  const speeds = new LRUCache<string, ResolverSpeed>({ max: REMEMBERED_MAX });
  const asking = new Map<string, LookupCallback[]>();
  const busy: Record<ResolverSpeed, number> = { quick: 0, new: 0, slow: 0 };
  const queues: Record<ResolverSpeed, string[]> = { quick: [], new: [], slow: [] };

  const next = (speed: ResolverSpeed) => {
    if (busy[speed] >= AT_ONCE[speed]) return;
    const hostname = queues[speed].shift();
    if (hostname === undefined) return;
    busy[speed] += 1;
    const from = performance.now();
    ask(hostname, (error, addresses) => {
      busy[speed] -= 1;
      speeds.set(hostname, performance.now() - from < QUICK_MS ? 'quick' : 'slow');
      const waiting = asking.get(hostname) ?? [];
      asking.delete(hostname);
      for (const found of waiting) found(error, addresses);
      next(speed);
    });
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
    next(speed);
  };
}

/** The system resolver, with its hosts file and search domains. */
const systemResolver: ResolveHostname = (hostname, found) =>
  lookup(hostname, { all: true }, (error, addresses) => found(error, addresses ?? []));

/** One per process, because the threads are shared. */
export const resolveHostname: ResolveHostname = openResolver();
