import { inTenant, readTenant, type App } from '../../app.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { NAME_SEAL_CONTEXT } from './names.ts';
import * as store from './rank-store.ts';

/** Names that are decrypted and ranked in one transaction. */
const NAMES_PER_BATCH = 5000;
/** Ranked names that one query reads, to find the gaps for new names. */
const PIVOTS_PER_QUERY = 8192;
const PIVOTS_PER_GAP_MAX = 64;
/** How long one request ranks new names before it gives up. The next request continues from there. */
const RANKING_TIMEOUT_MS = 5_000;

/**
 * Gives every name of a tenant a rank, so that the database can sort by names that it cannot decrypt. Runs when a list
 * is sorted by name, not when an order is placed. 503 if there are too many new names for one request.
 */
export async function rankNames(app: App, tenant: Tenant, patienceMs = RANKING_TIMEOUT_MS): Promise<void> {
  if (!(await readTenant(app, tenant, store.hasUnranked))) return;
  const until = performance.now() + patienceMs;
  while (await inTenant(app, tenant, rankBatch)) {
    if (performance.now() < until) continue;
    throw new DomainError('unavailable', 'Many new names are still being sorted; try again', 1);
  }
}

/** Ranks one batch of new names; returns whether there are more. */
export async function rankBatch(work: Work): Promise<boolean> {
  await store.lockRanks(work);
  const sealed = await store.listUnranked(work, NAMES_PER_BATCH);
  const names = sealed
    .map(({ id, name }) => ({ id, key: work.cipher.open(name, NAME_SEAL_CONTEXT) }))
    .toSorted((one, other) => compareKeys(one.key, other.key));
  const places = await findGaps(work, names);
  await store.setRanks(work, places.filter(hasRoom).flatMap(assignRanks));
  // Names whose gap is full wait for the next batch, since making room changes the ranks around them.
  const full = places.find((place) => !hasRoom(place));
  if (full) await rebalanceRanks(work, full.low, full.names.length);
  return full !== undefined || sealed.length === NAMES_PER_BATCH;
}

const gapStep = ({ low, high, names }: NamesInGap): number => (high - low) / (names.length + 1);
const hasRoom = (place: NamesInGap): boolean => gapStep(place) >= 1;
const assignRanks = (place: NamesInGap): store.NameRank[] =>
  place.names.map(({ id }, at) => ({ id, rank: Math.floor(place.low + gapStep(place) * (at + 1)) }));

const compareKeys = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

interface UnrankedName {
  readonly id: string;
  readonly key: string;
}

/** Sorted new names, and the gap between two ranks that all of them belong in. */
interface NamesInGap extends store.RankGap {
  readonly names: readonly UnrankedName[];
}

/** The empty gaps for sorted new names. Each round splits every gap at some of its ranked names, until it has none. */
async function findGaps(work: Work, names: readonly UnrankedName[]): Promise<NamesInGap[]> {
  const places: NamesInGap[] = [];
  let searched: NamesInGap[] = names.length > 0 ? [{ low: 0, high: store.RANK_LIMIT, names }] : [];
  while (searched.length > 0) {
    const fan = Math.max(2, Math.min(PIVOTS_PER_GAP_MAX, Math.floor(PIVOTS_PER_QUERY / searched.length)));
    const pivots = groupBy(await store.listPivots(work, searched, fan), ({ gap }) => gap);
    const divided = searched.map((place, at) => splitGap(work, place, pivots.get(at + 1) ?? []));
    places.push(...divided.flatMap(({ before }) => before));
    searched = divided.flatMap(({ between }) => between);
  }
  return places;
}

/** The part before the first pivot is empty; the parts between pivots may still contain ranked names. */
function splitGap(
  work: Work,
  place: NamesInGap,
  pivots: readonly store.RankPivot[],
): Record<'before' | 'between', NamesInGap[]> {
  const keys = new Map<number, string>();
  const keyAt = (at: number): string => {
    const known = keys.get(at);
    if (known !== undefined) return known;
    const pivot = pivots[at];
    const key = pivot ? work.cipher.open(pivot.name, NAME_SEAL_CONTEXT) : '';
    keys.set(at, key);
    return key;
  };
  const groups = groupBy(place.names, ({ key }) => countBefore(key, pivots.length, keyAt));
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

function groupBy<T>(things: readonly T[], by: (thing: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>();
  for (const thing of things) {
    const key = by(thing);
    const group = groups.get(key);
    if (group) group.push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}

/** How many of `length` sorted keys are less than `key` (binary search). */
function countBefore(key: string, length: number, keyAt: (at: number) => string): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keyAt(middle) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The narrowest range that is rebalanced, and the density factor: a range twice as wide may be 1 / 1.4 as dense. */
const RANGE_BITS_MIN = 16;
const DENSITY = 1.4;

/**
 * Rebalances the ranks around `rank`, in the narrowest range that is not too dense, so that `count` names fit between
 * any two. Needed because names that arrive in alphabetical order all fall into the same gap. The density limit falls
 * as the range gets wider, so wide ranges are rebalanced rarely (Bender et al., "Two simplified algorithms for
 * maintaining order in a list").
 */
async function rebalanceRanks(work: Work, rank: number, count: number): Promise<void> {
  for (let bits = RANGE_BITS_MIN; bits <= Math.log2(store.RANK_LIMIT); bits += 2) {
    const width = 2 ** bits;
    const low = Math.floor(rank / width) * width;
    const stretch = { low, high: low + width };
    const taken = await store.countRanked(work, stretch);
    const step = Math.floor(width / (taken + 1));
    if (step <= count + 1 || taken > (2 / DENSITY) ** bits) continue;
    await store.renumberRanks(work, stretch, step);
    return;
  }
  throw new Error('There are more names than ranks');
}
