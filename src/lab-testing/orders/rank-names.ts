import { inTenant, readTenant, type App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { NAME_PLACE } from './names.ts';
import * as store from './rank-store.ts';

/** So many names are opened and ranked in one transaction. */
const NAMES = 5000;
/** So many names that have ranks are looked at in one query, to find the places of new ones. */
const PIVOTS = 8192;
const PIVOTS_OF_GAP = 64;
/** A request waits so long for a whole address book that is new; the next one goes on from there. */
const PATIENCE_MS = 5_000;

/**
 * Gives every name of a tenant a rank, so that the database can sort by names that it cannot read. Done when somebody
 * sorts by name, and not when an order is placed. 503 when there are too many new names for one request to wait for.
 */
export async function rankNames(app: App, tenant: Tenant, patienceMs = PATIENCE_MS): Promise<void> {
  if (!(await readTenant(app, tenant, store.hasUnranked))) return;
  const until = performance.now() + patienceMs;
  while (await inTenant(app, tenant, rankSome)) {
    if (performance.now() < until) continue;
    throw new DomainError('unavailable', 'Very many new names are being sorted; ask again', 1);
  }
}

/** Ranks some of the new names; answers whether there are more. */
export async function rankSome(work: Work): Promise<boolean> {
  await store.lockRanks(work);
  const sealed = await store.listUnranked(work, NAMES);
  const names = sealed
    .map(({ id, name }) => ({ id, key: work.cipher.open(name, NAME_PLACE) }))
    .toSorted((one, other) => compare(one.key, other.key));
  const places = await placesOf(work, names);
  await store.setRanks(work, places.filter(hasRoom).flatMap(spread));
  // Whose place is full waits for the next time, since making room moves what stands there.
  const full = places.find((place) => !hasRoom(place));
  if (full) await makeRoom(work, full.low, full.names.length);
  return full !== undefined || sealed.length === NAMES;
}

const stepIn = ({ low, high, names }: Place): number => (high - low) / (names.length + 1);
const hasRoom = (place: Place): boolean => stepIn(place) >= 1;
const spread = (place: Place): store.Ranked[] =>
  place.names.map(({ id }, at) => ({ id, rank: Math.floor(place.low + stepIn(place) * (at + 1)) }));

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

interface NewName {
  readonly id: string;
  readonly key: string;
}

/** New names in their order, and the gap that all of them belong into. */
interface Place extends store.Gap {
  readonly names: readonly NewName[];
}

/** The empty gaps that sorted names belong into: every gap is divided by some of its names until it has none. */
async function placesOf(work: Work, names: readonly NewName[]): Promise<Place[]> {
  const places: Place[] = [];
  let searched: Place[] = names.length > 0 ? [{ low: 0, high: store.RANKS, names }] : [];
  while (searched.length > 0) {
    const fan = Math.max(2, Math.min(PIVOTS_OF_GAP, Math.floor(PIVOTS / searched.length)));
    const pivots = grouped(await store.listPivots(work, searched, fan), ({ gap }) => gap);
    const divided = searched.map((place, at) => divide(work, place, pivots.get(at + 1) ?? []));
    places.push(...divided.flatMap(({ before }) => before));
    searched = divided.flatMap(({ between }) => between);
  }
  return places;
}

/** What lies before the first name of a gap is empty; what lies behind one of its names may not be. */
function divide(
  work: Work,
  place: Place,
  pivots: readonly store.Pivot[],
): Record<'before' | 'between', Place[]> {
  const keys = new Map<number, string>();
  const keyAt = (at: number): string => {
    const known = keys.get(at);
    if (known !== undefined) return known;
    const pivot = pivots[at];
    const key = pivot ? work.cipher.open(pivot.name, NAME_PLACE) : '';
    keys.set(at, key);
    return key;
  };
  const groups = grouped(place.names, ({ key }) => countBefore(key, pivots.length, keyAt));
  const parts = [...groups].map(([count, names]) => ({
    isBefore: count === 0,
    low: pivots[count - 1]?.rank ?? place.low,
    high: pivots[count]?.rank ?? place.high,
    names,
  }));
  return {
    before: parts.filter(({ isBefore }) => isBefore),
    between: parts.filter(({ isBefore }) => !isBefore),
  };
}

function grouped<T>(things: readonly T[], by: (thing: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const thing of things) {
    const key = by(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}

/** How many of `length` sorted keys stand before this one. */
function countBefore(key: string, length: number, keyAt: (at: number) => string): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyAt(middle) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The narrowest stretch that is spread anew, and how much more of the next wider one may be taken, each twice as wide. */
const NARROWEST_BITS = 16;
const DENSITY = 1.4;

/**
 * Spreads the ranks around one anew, in the narrowest stretch that is not crowded, so that `count` find room between any
 * two: names that come one by one in the order of the alphabet take up one gap. The wider a stretch, the less of it may
 * be taken, so that a wide one is spread seldom (Bender et al., "Two simplified algorithms for maintaining order in a
 * list").
 */
async function makeRoom(work: Work, rank: number, count: number): Promise<void> {
  for (let bits = NARROWEST_BITS; bits <= Math.log2(store.RANKS); bits += 2) {
    const width = 2 ** bits;
    const low = Math.floor(rank / width) * width;
    const stretch = { low, high: low + width };
    const taken = await store.countRanked(work, stretch);
    const step = Math.floor(width / (taken + 1));
    if (step <= count + 1 || taken > (2 / DENSITY) ** bits) continue;
    await store.spreadRanks(work, stretch, step);
    return;
  }
  throw new Error('There are more names than ranks');
}
