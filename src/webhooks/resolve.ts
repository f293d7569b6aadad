import { lookup, type LookupAddress } from 'node:dns';
import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';

export type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;
/** Answers all addresses of a name. */
export type Resolve = (hostname: string, found: Found) => void;

/** How a name answered when it was last asked for. */
type Speed = 'new' | 'quick' | 'slow';

/** An answer within this time is quick. */
const QUICK_MS = 1000;
/** The system's resolver works on four threads; quick names must always find one. */
const AT_ONCE: Record<Speed, number> = { quick: Infinity, new: 2, slow: 1 };
const REMEMBERED_MAX = 10_000;

/**
 * Asks once for all who want the same name at the same time, and lets names whose server does not answer
 * wait for each other and for nobody else: each holds a thread of the system's resolver for half a minute.
 */
export function openResolver(ask: Resolve = systemResolver): Resolve {
  const speeds = new LRUCache<string, Speed>({ max: REMEMBERED_MAX });
  const asking = new Map<string, Found[]>();
  const busy: Record<Speed, number> = { quick: 0, new: 0, slow: 0 };
  const queues: Record<Speed, string[]> = { quick: [], new: [], slow: [] };

  const next = (speed: Speed) => {
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

/** The system's own, with its hosts file and its search domains. */
const systemResolver: Resolve = (hostname, found) =>
  lookup(hostname, { all: true }, (error, addresses) => found(error, addresses ?? []));

/** One for the whole process, because its threads are. */
export const resolveName: Resolve = openResolver();
