import { LRUCache } from 'lru-cache';
import type { MessageParties } from '../../adapters/lab-network/port.ts';
import { asSystem, type Db } from '../../platform/db/transact.ts';
import type { LabRoute } from './connection.ts';
import { findRouteByParties } from './connection-store.ts';

/** The maximum delay until every node sees a changed connection. */
const CACHE_TTL_MS = 2000;
const CACHED_ROUTES_MAX = 1000;

/** Finds the connection between parties; cached for a few seconds. */
export type RouteFinder = (parties: MessageParties) => Promise<LabRoute | undefined>;

export function createRouteFinder(db: Db): RouteFinder {
  const known = new LRUCache<string, Promise<LabRoute | undefined>>({
    max: CACHED_ROUTES_MAX,
    ttl: CACHE_TTL_MS,
  });
  return (parties) => {
    const { labApplication, labFacility, ourApplication, ourFacility } = parties;
    const key = JSON.stringify([labApplication, labFacility, ourApplication, ourFacility]);
    const remembered = known.get(key);
    if (remembered) return remembered;
    const found = asSystem(db, (tx) => findRouteByParties(tx, parties));
    known.set(key, found);
    // Misses are not cached, so that a new connection is found at once.
    found.then(
      (route) => route ?? known.delete(key),
      () => known.delete(key),
    );
    return found;
  };
}
