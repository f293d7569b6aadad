import type {
  ReadingOrigin,
  HealthReading,
  HealthSample,
  StreamColumns,
  Sport,
} from '../../readings/readings.ts';
import { SUMMARY_BOUNDS } from '../ingestion/bounds.ts';
import { toLocalDay } from './local-day.ts';
import {
  averageOf,
  totalClimb,
  toStreamColumns,
  maxOf,
  minOf,
  toMap,
  toRouteMap,
  computeMovingSeconds,
  withDistance,
  type Track,
  type TrackPoint,
} from './track.ts';

/** The totals of a workout as stated in a file. Missing ones are computed from the track. */
export interface FileWorkoutTotals {
  readonly movingSeconds?: number | null | undefined;
  readonly averageHr?: number | null | undefined;
  readonly maxHr?: number | null | undefined;
  readonly distance?: number | null | undefined;
  readonly calories?: number | null | undefined;
  readonly climb?: number | null | undefined;
  readonly highest?: number | null | undefined;
  readonly lowest?: number | null | undefined;
  readonly averageSpeed?: number | null | undefined;
  readonly maxSpeed?: number | null | undefined;
  readonly averageWatts?: number | null | undefined;
  readonly maxWatts?: number | null | undefined;
  readonly normalizedWatts?: number | null | undefined;
  readonly steps?: number | null | undefined;
}

/** A workout, independent of the file format. */
export interface FileWorkout {
  /** Stable: another export of the same workout in the same format has the same key. */
  readonly key: string;
  readonly origin: ReadingOrigin;
  readonly sport: Sport;
  readonly title: string | null;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Seconds east of UTC; null if the file does not state it. */
  readonly offset: number | null;
  readonly totals: FileWorkoutTotals;
  readonly track: Track | null;
  /** The points in the order of their route, if the track does not have them all. */
  readonly route?: readonly TrackPoint[] | null;
  /** Whether to emit the heart rates of the track as samples; false if the file has them elsewhere. */
  readonly emitSamples: boolean;
}

interface WorkoutContext {
  /** Called for each implausible total. */
  readonly tell: (reason: string) => void;
  /** The time zone of the user, for files that state no offset. */
  readonly timeZone: string | null;
}

/** Yields the summary, then its stream, then its heart rates. */
export function* toWorkoutReadings(
  activity: FileWorkout,
  { tell, timeZone }: WorkoutContext,
): Generator<HealthReading> {
  const track = activity.track && withDistance(activity.track);
  const { key, origin, start: at, sport } = activity;
  const day = toLocalDay(at, activity.offset, timeZone);
  const body = dropImplausible(toWorkoutBody(activity, track, day), tell);
  yield { kind: 'summary', resource: 'workouts', origin, key, at, day, body, raw: null };
  if (!track || track.time.length === 0) return;
  const columns: StreamColumns = toStreamColumns(track);
  yield { kind: 'workout_stream', origin, workoutKey: key, columns };
  if (!activity.emitSamples) return;
  const samples = toHeartRateSamples(track, activity.offset);
  const workout = { key, sport: sport.slug };
  if (samples.length > 0) {
    yield { kind: 'samples', resource: 'heartrate', origin: { ...origin, workout }, samples };
  }
}

function toHeartRateSamples({ time, heartrate }: Track, offset: number | null): HealthSample[] {
  return heartrate.flatMap((value, index) => {
    if (value === null) return [];
    const at = (time[index] ?? 0) * 1000;
    return [{ at, until: null, offset, type: null, value, more: null }];
  });
}

/** An implausible total is dropped; the workout is kept. */
function dropImplausible(
  body: Record<string, unknown>,
  tell: (reason: string) => void,
): Record<string, unknown> {
  const totals = Object.entries(body).map(([name, value]) => {
    const [least, most] = SUMMARY_BOUNDS.workouts[name] ?? [-Infinity, Infinity];
    if (typeof value !== 'number' || (value >= least && value <= most)) return [name, value] as const;
    tell(`${name} of ${value} is implausible and was ignored`);
    return [name, null] as const;
  });
  return Object.fromEntries(totals);
}

const roundOrNull = (value: number | null): number | null => (value === null ? null : Math.round(value));

function toWorkoutBody(activity: FileWorkout, track: Track | null, day: string): Record<string, unknown> {
  const { totals, start, end } = activity;
  const from = <K extends keyof FileWorkoutTotals>(name: K, find: (track: Track) => number | null) =>
    finiteOrNull(totals[name]) ?? (track && finiteOrNull(find(track)));
  const distance = from('distance', (one) => maxOf(one.distance));
  const moving = from('movingSeconds', computeMovingSeconds);
  const speed = distance !== null && moving ? distance / moving : null;
  return {
    provider_id: activity.key,
    title: activity.title,
    sport: activity.sport,
    calendar_date: day,
    time_start: toWireTimestamp(start),
    time_end: toWireTimestamp(end),
    timezone_offset: activity.offset,
    moving_time: roundOrNull(moving),
    average_hr: roundOrNull(from('averageHr', (one) => averageOf(one.heartrate))),
    max_hr: roundOrNull(from('maxHr', (one) => maxOf(one.heartrate))),
    hr_zones: null,
    distance,
    calories: from('calories', () => null),
    total_elevation_gain: from('climb', totalClimb),
    elev_high: from('highest', (one) => maxOf(one.altitude)),
    elev_low: from('lowest', (one) => minOf(one.altitude)),
    average_speed: from('averageSpeed', () => null) ?? speed,
    max_speed: from('maxSpeed', (one) => maxOf(one.speed)),
    ...toPowerFields(from),
    steps: roundOrNull(from('steps', () => null)),
    map: activity.route ? toRouteMap(activity.route) : track && toMap(track),
  };
}

type TotalReader = (name: keyof FileWorkoutTotals, find: (track: Track) => number | null) => number | null;

function toPowerFields(from: TotalReader): Record<string, number | null> {
  const average = from('averageWatts', (one) => averageOf(one.power));
  return {
    average_watts: average,
    device_watts: average,
    max_watts: from('maxWatts', (one) => maxOf(one.power)),
    weighted_average_watts: from('normalizedWatts', () => null),
  };
}

const finiteOrNull = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** Parses an XML dateTime. Without a zone it is UTC, not the zone of this process. NaN for anything else. */
export function parseXmlTimestamp(text: string): number {
  const [, wall, zone] = XML_TIMESTAMP.exec(text) ?? [];
  return wall === undefined ? Number.NaN : Date.parse(`${wall}${zone ?? 'Z'}`);
}
const XML_TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * The offset of an XML dateTime in seconds east of UTC; null if it states none. Programs that write UTC write `Z` or
 * `+00:00`, wherever the user was.
 */
export function parseXmlOffset(text: string): number | null {
  const [, , zone = 'Z'] = XML_TIMESTAMP.exec(text) ?? [];
  const [, sign, hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  if (seconds === 0 || seconds > OFFSET_MAX_SECONDS) return null;
  return sign === '-' ? -seconds : seconds;
}
const OFFSET_MAX_SECONDS = 15 * 3600;

/** A timestamp in the wire format. */
export const toWireTimestamp = (at: number): string => `${new Date(at).toISOString().slice(0, -1)}+00:00`;

/** Whether a timestamp is plausible. Devices that lost their clock write 1970 or 1989, and some files are corrupt. */
export const isPlausibleTimestamp = (at: number): boolean => at >= EARLIEST && at <= LATEST;
const EARLIEST = Date.UTC(1995, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** The maximum number of points of a file: more than five days at one per second. */
export const POINTS_MAX = 500_000;
