import { LRUCache } from 'lru-cache';
import type { MessageParties } from '../../adapters/lab-network/port.ts';
import { lookUpCounted } from '../../platform/cache-lookups.ts';
import { asSystem, type Db } from '../../platform/db/transact.ts';
import type { LabRoute } from './connection.ts';
import { findAnyRoute, findSharedRoute } from './connection-store.ts';

/** The maximum delay until every node sees a changed connection. */
const CACHE_TTL_MS = 2000;
const CACHED_ROUTES_MAX = 1000;

/** The listener that heard a message: the port of one connection, or the shared port of the deployment. */
export type MessageListener =
  | { readonly kind: 'own'; readonly connectionId: string; readonly port: number }
  | { readonly kind: 'shared' };

/**
 * Finds the connection of a message, also if it accepts nothing or is deleted; cached for a few seconds. A port was
 * opened for one connection and leads to no other, whatever the message says; undefined once the port was freed. On the
 * shared port, the names that the operator has put on it decide.
 */
export type RouteFinder = (
  listener: MessageListener,
  parties: MessageParties,
) => Promise<LabRoute | undefined>;

export function createRouteFinder(db: Db): RouteFinder {
  const known = new LRUCache<string, Promise<LabRoute | undefined>>({
    max: CACHED_ROUTES_MAX,
    ttl: CACHE_TTL_MS,
  });
  const find = (key: string, query: Parameters<typeof asSystem<LabRoute | undefined>>[1]) => {
    const remembered = lookUpCounted('lab_connection', known, key);
    if (remembered) return remembered;
    const found = asSystem(db, query);
    known.set(key, found);
    // Misses are not cached, so that a new connection is found at once.
    found.then(
      (route) => route ?? known.delete(key),
      () => known.delete(key),
    );
    return found;
  };
  return async (listener, parties) => {
    if (listener.kind === 'own') {
      const { connectionId, port } = listener;
      const route = await find(connectionId, (tx) => findAnyRoute(tx, connectionId));
      return route?.listenerPort === port ? route : undefined;
    }
    const { labApplication, labFacility, ourApplication, ourFacility } = parties;
    const key = JSON.stringify([labApplication, labFacility, ourApplication, ourFacility]);
    return find(key, (tx) => findSharedRoute(tx, parties));
  };
}
