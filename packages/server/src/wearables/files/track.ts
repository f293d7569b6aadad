// In Node the package resolves to CommonJS: it has a default export and no named ones.
// oxlint-disable-next-line import/default
import codec from '@googlemaps/polyline-codec';
import type { StreamColumns } from '../../readings/readings.ts';

/** One recorded point of a workout, in meters, meters per second, beats and revolutions per minute, and degrees. */
export interface TrackPoint {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly lat?: number | null | undefined;
  readonly lng?: number | null | undefined;
  readonly altitude?: number | null | undefined;
  readonly heartrate?: number | null | undefined;
  readonly cadence?: number | null | undefined;
  readonly power?: number | null | undefined;
  readonly temperature?: number | null | undefined;
  /** Meters since the start. */
  readonly distance?: number | null | undefined;
  readonly speed?: number | null | undefined;
  readonly resistance?: number | null | undefined;
}

type TrackValue = number | null;

/** The points of a workout as columns, sorted by time, one per second (the last one wins). */
export interface Track {
  readonly time: readonly number[];
  readonly lat: readonly TrackValue[];
  readonly lng: readonly TrackValue[];
  readonly altitude: readonly TrackValue[];
  readonly heartrate: readonly TrackValue[];
  readonly cadence: readonly TrackValue[];
  readonly power: readonly TrackValue[];
  readonly temperature: readonly TrackValue[];
  readonly distance: readonly TrackValue[];
  readonly speed: readonly TrackValue[];
  readonly resistance: readonly TrackValue[];
}

/** Values outside these ranges are dropped. */
// prettier-ignore
const PLAUSIBLE_RANGES = {
  altitude:    [-500, 20_000],
  heartrate:   [20, 300],
  cadence:     [0, 500],
  power:       [0, 5000],
  temperature: [-90, 90],
  distance:    [0, 10_000_000],
  speed:       [0, 350],
  resistance:  [0, 10_000],
} as const;

function toPlausible(name: keyof typeof PLAUSIBLE_RANGES, value: number | null | undefined): TrackValue {
  const [least, most] = PLAUSIBLE_RANGES[name];
  return typeof value === 'number' && value >= least && value <= most ? value : null;
}

/** Creates a track from points. Calls `tell` for each column with implausible values. */
export function createTrack(points: readonly TrackPoint[], tell: (reason: string) => void): Track {
  const ordered = onePerSecond(points);
  const places = ordered.map(toPosition);
  const leftOut = (name: string, without: (point: TrackPoint, index: number) => boolean) => {
    const count = ordered.filter(without).length;
    if (count > 0) tell(`${count} implausible values of ${name} were ignored`);
  };
  const column = (name: keyof typeof PLAUSIBLE_RANGES) => {
    const values = ordered.map((point) => toPlausible(name, point[name]));
    leftOut(name, (point, index) => values[index] === null && !isMissing(point[name]));
    return values;
  };
  leftOut('position', ({ lat, lng }, index) => places[index] === null && !isMissing(lat) && !isMissing(lng));
  return {
    time: ordered.map(({ at }) => Math.floor(at / 1000)),
    lat: places.map((place) => place?.[0] ?? null),
    lng: places.map((place) => place?.[1] ?? null),
    altitude: column('altitude'),
    heartrate: column('heartrate').map(roundOrNull),
    cadence: column('cadence'),
    power: column('power'),
    temperature: column('temperature'),
    distance: column('distance'),
    speed: column('speed'),
    resistance: column('resistance'),
  };
}

/** Not measured: absent, or the 0 of a sensor without contact. NaN is not missing: the text was not a number. */
const isMissing = (value: number | null | undefined): boolean =>
  value === undefined || value === null || value === 0;

const roundOrNull = (value: TrackValue): TrackValue => (value === null ? null : Math.round(value));

/** Some devices write 0,0 before they have a position. */
function toPosition({ lat, lng }: TrackPosition): readonly [number, number] | null {
  if (typeof lat !== 'number' || typeof lng !== 'number') return null;
  if (!(Math.abs(lat) <= 90 && Math.abs(lng) <= 180) || (lat === 0 && lng === 0)) return null;
  return [lat, lng];
}

function onePerSecond(points: readonly TrackPoint[]): TrackPoint[] {
  const sorted = points.toSorted((one, other) => one.at - other.at);
  return sorted.filter(({ at }, index) => {
    const next = sorted[index + 1];
    return next === undefined || Math.floor(next.at / 1000) !== Math.floor(at / 1000);
  });
}

/** The columns that have at least one value. */
export function toStreamColumns({ time, speed, ...others }: Track): StreamColumns {
  const columns = Object.entries({ ...others, velocity_smooth: speed });
  return { time, ...Object.fromEntries(columns.filter(([, values]) => values.some((one) => one !== null))) };
}

const withoutNulls = (values: readonly TrackValue[]): number[] => values.filter((value) => value !== null);

export function averageOf(values: readonly TrackValue[]): TrackValue {
  const all = withoutNulls(values);
  return all.length === 0 ? null : all.reduce((sum, one) => sum + one, 0) / all.length;
}

export const maxOf = (values: readonly TrackValue[]): TrackValue =>
  withoutNulls(values).reduce<TrackValue>((most, one) => (most === null || one > most ? one : most), null);

export const minOf = (values: readonly TrackValue[]): TrackValue =>
  withoutNulls(values).reduce<TrackValue>(
    (least, one) => (least === null || one < least ? one : least),
    null,
  );

/** Smaller changes are barometer or GPS noise. */
const CLIMB_THRESHOLD_METERS = 3;

/** The total ascent in meters. */
export function totalClimb({ altitude }: Track): TrackValue {
  const heights = withoutNulls(altitude);
  let base = heights[0];
  if (base === undefined) return null;
  let climbed = 0;
  for (const height of heights) {
    if (Math.abs(height - base) < CLIMB_THRESHOLD_METERS) continue;
    if (height > base) climbed += height - base;
    base = height;
  }
  return climbed;
}

const EARTH_METERS = 6_371_008.8;
const radians = (degrees: number) => (degrees * Math.PI) / 180;
type GeoPosition = readonly [number, number];

/** The great-circle distance in meters. */
function haversineDistance([lat1, lng1]: GeoPosition, [lat2, lng2]: GeoPosition): number {
  const half = (angle: number) => Math.sin(radians(angle) / 2) ** 2;
  const chord = half(lat2 - lat1) + Math.cos(radians(lat1)) * Math.cos(radians(lat2)) * half(lng2 - lng1);
  return 2 * EARTH_METERS * Math.asin(Math.min(1, Math.sqrt(chord)));
}

/** Fills in the distance from the positions if the device did not record it. */
export function withDistance(track: Track): Track {
  if (track.distance.some((one) => one !== null)) return track;
  return {
    ...track,
    distance: sumDistances(track.lat.map((lat, index) => ({ lat, lng: track.lng[index] }))),
  };
}

/** The distance from the first point to each point, along all points in their order; null without a position. */
export const computeDistances = (points: readonly TrackPoint[]): TrackValue[] =>
  sumDistances(points.map((point) => toLatLng(toPosition(point))));

type TrackPosition = Pick<TrackPoint, 'lat' | 'lng'>;
const toLatLng = (place: GeoPosition | null): TrackPosition => ({ lat: place?.[0], lng: place?.[1] });

function sumDistances(places: readonly TrackPosition[]): TrackValue[] {
  let before: GeoPosition | null = null;
  let meters = 0;
  return places.map(({ lat, lng }) => {
    if (typeof lat !== 'number' || typeof lng !== 'number') return null;
    if (before) meters += haversineDistance(before, [lat, lng]);
    before = [lat, lng];
    return Math.round(meters * 10) / 10;
  });
}

/** Slower movement counts as standing, and a longer gap between points as a pause. */
const MOVING_METERS_PER_SECOND = 0.5;
export const PAUSE_SECONDS = 60;

/** Seconds in motion; null without distances. */
export function computeMovingSeconds({ time, distance }: Track): TrackValue {
  if (distance.every((one) => one === null)) return null;
  let moving = 0;
  for (let index = 1; index < time.length; index += 1) {
    const seconds = (time[index] ?? 0) - (time[index - 1] ?? 0);
    const meters = (distance[index] ?? 0) - (distance[index - 1] ?? distance[index] ?? 0);
    if (seconds < PAUSE_SECONDS && meters / seconds >= MOVING_METERS_PER_SECOND) moving += seconds;
  }
  return moving;
}

const SUMMARY_POINTS = 100;
const POLYLINE_POINTS_MAX = 20_000;

interface TrackMap {
  readonly polyline: string;
  readonly summary_polyline: string;
}

/** The route as a detailed and a summary polyline; null without positions. */
export const toMap = ({ lat, lng }: Pick<Track, 'lat' | 'lng'>): TrackMap | null =>
  toRouteMap(lat.map((one, index) => ({ lat: one, lng: lng[index] })));

/** Same, of points in the order of their route. */
export function toRouteMap(points: readonly TrackPosition[]): TrackMap | null {
  const places = points.flatMap(({ lat, lng }): [number, number][] => {
    const place = toPosition({ lat, lng });
    return place ? [[place[0], place[1]]] : [];
  });
  if (places.length < 2) return null;
  return {
    polyline: codec.encode(thin(places, POLYLINE_POINTS_MAX)),
    summary_polyline: codec.encode(thin(places, SUMMARY_POINTS)),
  };
}

/** At most `most` elements, evenly spaced, including the first and the last. */
function thin<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list];
  const step = (list.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, index) => list[Math.round(index * step)]).filter(
    (one) => one !== undefined,
  );
}
