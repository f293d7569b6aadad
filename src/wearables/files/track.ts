// The package is CommonJS in Node, whatever else it says: it has a default there and no names.
// oxlint-disable-next-line import/default
import codec from '@googlemaps/polyline-codec';
import type { StreamColumns } from '../readings.ts';

/** What a device wrote down at one moment of a workout. Metres, metres a second, beats and turns a minute, degrees. */
export interface Point {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly lat?: number | null | undefined;
  readonly lng?: number | null | undefined;
  readonly altitude?: number | null | undefined;
  readonly heartrate?: number | null | undefined;
  readonly cadence?: number | null | undefined;
  readonly power?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  /** Since the start. */
  readonly distance?: number | null | undefined;
  readonly speed?: number | null | undefined;
  readonly resistance?: number | null | undefined;
}

type Value = number | null;

/** The points of a workout by column, in order of time, one at a second: of several the last. */
export interface Track {
  readonly time: readonly number[];
  readonly lat: readonly Value[];
  readonly lng: readonly Value[];
  readonly altitude: readonly Value[];
  readonly heartrate: readonly Value[];
  readonly cadence: readonly Value[];
  readonly power: readonly Value[];
  readonly temperature: readonly Value[];
  readonly distance: readonly Value[];
  readonly speed: readonly Value[];
  readonly resistance: readonly Value[];
}

/** What no sensor means; a value outside is left out. */
// prettier-ignore
const BELIEVABLE = {
  altitude:    [-500, 20_000],
  heartrate:   [20, 300],
  cadence:     [0, 500],
  power:       [0, 5000],
  temperature: [-90, 90],
  distance:    [0, 10_000_000],
  speed:       [0, 350],
  resistance:  [0, 10_000],
} as const;

function believable(name: keyof typeof BELIEVABLE, value: number | null | undefined): Value {
  const [least, most] = BELIEVABLE[name];
  return typeof value === 'number' && value >= least && value <= most ? value : null;
}

/** The track of these points; `tell` is told of what is in them and is not believed. */
export function trackOf(points: readonly Point[], tell: (reason: string) => void): Track {
  const ordered = onePerSecond(points);
  const places = ordered.map(placeOf);
  const leftOut = (name: string, without: (point: Point, index: number) => boolean) => {
    const count = ordered.filter(without).length;
    if (count > 0) tell(`${count} values of ${name} that are not believed`);
  };
  const column = (name: keyof typeof BELIEVABLE) => {
    const values = ordered.map((point) => believable(name, point[name]));
    leftOut(name, (point, index) => values[index] === null && !isNothing(point[name]));
    return values;
  };
  leftOut('place', ({ lat, lng }, index) => places[index] === null && !isNothing(lat) && !isNothing(lng));
  return {
    time: ordered.map(({ at }) => Math.floor(at / 1000)),
    lat: places.map((place) => place?.[0] ?? null),
    lng: places.map((place) => place?.[1] ?? null),
    altitude: column('altitude'),
    heartrate: column('heartrate').map(rounded),
    cadence: column('cadence'),
    power: column('power'),
    temperature: column('temperature'),
    distance: column('distance'),
    speed: column('speed'),
    resistance: column('resistance'),
  };
}

/** Not measured: nothing, or the 0 of what has no contact. A NaN was something else than a number. */
const isNothing = (value: number | null | undefined): boolean =>
  value === undefined || value === null || value === 0;

const rounded = (value: Value): Value => (value === null ? null : Math.round(value));

/** A point of which device knows the place; 0,0 is what some write before they know it. */
function placeOf({ lat, lng }: Point): readonly [number, number] | null {
  if (typeof lat !== 'number' || typeof lng !== 'number') return null;
  if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180) || (lat === 0 && lng === 0)) return null;
  return [lat, lng];
}

function onePerSecond(points: readonly Point[]): Point[] {
  const sorted = points.toSorted((one, other) => one.at - other.at);
  return sorted.filter(({ at }, index) => {
    const next = sorted[index + 1];
    return next === undefined || Math.floor(next.at / 1000) !== Math.floor(at / 1000);
  });
}

/** The columns that have anything in them. */
export function columnsOf({ time, speed, ...others }: Track): StreamColumns {
  const columns = Object.entries({ ...others, velocity_smooth: speed });
  return { time, ...Object.fromEntries(columns.filter(([, values]) => values.some((one) => one !== null))) };
}

const known = (values: readonly Value[]): number[] => values.filter((value) => value !== null);

export function averageOf(values: readonly Value[]): Value {
  const all = known(values);
  return all.length === 0 ? null : all.reduce((sum, one) => sum + one, 0) / all.length;
}

export const highestOf = (values: readonly Value[]): Value =>
  known(values).reduce<Value>((most, one) => (most === null || one > most ? one : most), null);

export const lowestOf = (values: readonly Value[]): Value =>
  known(values).reduce<Value>((least, one) => (least === null || one < least ? one : least), null);

/** Smaller ups and downs are noise of the barometer or of the satellites. */
const CLIMB_METERS = 3;

/** Meters climbed in all. */
export function climbOf({ altitude }: Track): Value {
  const heights = known(altitude);
  let base = heights[0];
  if (base === undefined) return null;
  let climbed = 0;
  for (const height of heights) {
    if (Math.abs(height - base) < CLIMB_METERS) continue;
    if (height > base) climbed += height - base;
    base = height;
  }
  return climbed;
}

const EARTH_METERS = 6_371_008.8;
const radians = (degrees: number) => (degrees * Math.PI) / 180;
type Place = readonly [number, number];

/** Along the great circle, in meters. */
function between([lat1, lng1]: Place, [lat2, lng2]: Place): number {
  const half = (angle: number) => Math.sin(radians(angle) / 2) ** 2;
  const chord = half(lat2 - lat1) + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * half(lng2 - lng1);
  return 2 * EARTH_METERS * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Meters from the start, as the device counted them, or else along the places. */
export function withDistance(track: Track): Track {
  if (track.distance.some((one) => one !== null)) return track;
  let before: Place | null = null;
  let meters = 0;
  const distance = track.lat.map((lat, index) => {
    const lng = track.lng[index] ?? null;
    if (lat === null || lng === null) return null;
    if (before) meters += between(before, [lat, lng]);
    before = [lat, lng];
    return Math.round(meters * 10) / 10;
  });
  return { ...track, distance };
}

/** A slower one stands; a longer pause without points is none of moving. */
const MOVING_METERS_A_SECOND = 0.5;
const PAUSE_SECONDS = 60;

/** Seconds in motion, where the points tell it. */
export function movingSecondsOf({ time, distance }: Track): Value {
  if (distance.every((one) => one === null)) return null;
  let moving = 0;
  for (let index = 1; index < time.length; index += 1) {
    const seconds = (time[index] ?? 0) - (time[index - 1] ?? 0);
    const meters = (distance[index] ?? 0) - (distance[index - 1] ?? distance[index] ?? 0);
    if (seconds < PAUSE_SECONDS && meters / seconds >= MOVING_METERS_A_SECOND) moving += seconds;
  }
  return moving;
}

const SUMMARY_PLACES = 100;
const POLYLINE_PLACES_MAX = 20_000;

/** The way on a map, whole and roughly; null without places. */
export function mapOf({ lat, lng }: Track): { polyline: string; summary_polyline: string } | null {
  const places = lat.flatMap((one, index): [number, number][] => {
    const other = lng[index] ?? null;
    return one === null || other === null ? [] : [[one, other]];
  });
  if (places.length < 2) return null;
  return {
    polyline: codec.encode(thinned(places, POLYLINE_PLACES_MAX)),
    summary_polyline: codec.encode(thinned(places, SUMMARY_PLACES)),
  };
}

/** So many of them at most, evenly chosen, the first and the last among them. */
function thinned<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  const step = (list.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => list[Math.round(index * step)]).filter(
    (one) => one !== undefined,
  );
}
