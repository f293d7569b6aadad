import { LRUCache } from 'lru-cache';
import type { Parties } from '../../adapters/lab-network/port.ts';
import { asSystem, type Db } from '../../platform/db/transact.ts';
import type { Route } from './connection.ts';
import { findByParties } from './connection-store.ts';

/** How long a change of a connection may take to be noticed by every node. */
const REMEMBERED_MS = 2000;
const REMEMBERED_MAX = 1000;

/** Finds the connection between parties; those of the last seconds from memory. */
export type FindRoute = (parties: Parties) => Promise<Route | undefined>;

export function openRouting(db: Db): FindRoute {
  const known = new LRUCache<string, Promise<Route | undefined>>({ max: REMEMBERED_MAX, ttl: REMEMBERED_MS });
  return (parties) => {
    const { labApplication, labFacility, ourApplication, ourFacility } = parties;
    const key = JSON.stringify([labApplication, labFacility, ourApplication, ourFacility]);
    const remembered = known.get(key);
    if (remembered) return remembered;
    const found = asSystem(db, (tx) => findByParties(tx, parties));
    known.set(key, found);
    // Nobody is remembered as unknown: a connection that was just made is found at once.
    found.then(
      (route) => route ?? known.delete(key),
      () => known.delete(key),
    );
    return found;
  };
}
