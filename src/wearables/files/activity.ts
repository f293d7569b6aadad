import type { Origin, Reading, Sample, StreamColumns } from '../readings.ts';
import type { Sport } from '../sports.ts';
import { SUMMARY_BOUNDS } from '../taking-in/bounds.ts';
import {
  averageOf,
  climbOf,
  columnsOf,
  highestOf,
  lowestOf,
  mapOf,
  movingSecondsOf,
  withDistance,
  type Track,
} from './track.ts';

/** What a file says of a workout as a whole; what it leaves out is taken from the track. */
export interface ActivityTotals {
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

/** A workout as any of the formats has it. */
export interface Activity {
  /** The same when the same file, or another export of the same workout in the same format, comes again. */
  readonly key: string;
  readonly origin: Origin;
  readonly sport: Sport;
  readonly title: string | null;
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly end: number;
  /** Seconds east of UTC; null where the file does not say. */
  readonly offset: number | null;
  readonly totals: ActivityTotals;
  readonly track: Track | null;
  /** Whether heart rates of the track are to be samples too: not where they are told elsewhere in the file. */
  readonly samples: boolean;
}

/** The summary, then its stream, then its heart rates; `tell` is told of totals that are not believed. */
export function* readingsOf(activity: Activity, tell: (reason: string) => void): Generator<Reading> {
  const track = activity.track && withDistance(activity.track);
  const { key, origin, start: at, sport } = activity;
  const day = dayOf(at, activity.offset);
  const body = believed(bodyOf(activity, track, day), tell);
  yield { kind: 'summary', resource: 'workouts', origin, key, at, day, body, raw: null };
  if (!track || track.time.length === 0) return;
  const columns: StreamColumns = columnsOf(track);
  yield { kind: 'workout_stream', origin, workoutKey: key, columns };
  if (!activity.samples) return;
  const samples = heartRates(track, activity.offset);
  const workout = { key, sport: sport.slug };
  if (samples.length > 0) {
    yield { kind: 'samples', resource: 'heartrate', origin: { ...origin, workout }, samples };
  }
}

function heartRates({ time, heartrate }: Track, offset: number | null): Sample[] {
  return heartrate.flatMap((value, index) => {
    if (value === null) return [];
    const at = (time[index] ?? 0) * 1000;
    return [{ at, until: null, offset, type: null, value, more: null }];
  });
}

/** A total that nobody believes costs the workout nothing but itself. */
function believed(body: Record<string, unknown>, tell: (reason: string) => void): Record<string, unknown> {
  const totals = Object.entries(body).map(([name, value]) => {
    const [least, most] = SUMMARY_BOUNDS.workouts[name] ?? [-Infinity, Infinity];
    if (typeof value !== 'number' || (value >= least && value <= most)) return [name, value] as const;
    tell(`the ${name} of ${value} is not believed`);
    return [name, null] as const;
  });
  return Object.fromEntries(totals);
}

const whole = (value: number | null): number | null => (value === null ? null : Math.round(value));

function bodyOf(activity: Activity, track: Track | null, day: string): Record<string, unknown> {
  const { totals, start, end } = activity;
  const from = <K extends keyof ActivityTotals>(name: K, find: (track: Track) => number | null) =>
    finite(totals[name]) ?? (track && finite(find(track)));
  const distance = from('distance', (one) => highestOf(one.distance));
  const moving = from('movingSeconds', movingSecondsOf);
  const speed = distance !== null && moving ? distance / moving : null;
  return {
    provider_id: activity.key,
    title: activity.title,
    sport: activity.sport,
    calendar_date: day,
    time_start: momentOf(start),
    time_end: momentOf(end),
    timezone_offset: activity.offset,
    moving_time: whole(moving),
    average_hr: whole(from('averageHr', (one) => averageOf(one.heartrate))),
    max_hr: whole(from('maxHr', (one) => highestOf(one.heartrate))),
    hr_zones: null,
    distance,
    calories: from('calories', () => null),
    total_elevation_gain: from('climb', climbOf),
    elev_high: from('highest', (one) => highestOf(one.altitude)),
    elev_low: from('lowest', (one) => lowestOf(one.altitude)),
    average_speed: from('averageSpeed', () => null) ?? speed,
    max_speed: from('maxSpeed', (one) => highestOf(one.speed)),
    ...wattsOf(from),
    steps: whole(from('steps', () => null)),
    map: track && mapOf(track),
  };
}

type From = (name: keyof ActivityTotals, find: (track: Track) => number | null) => number | null;

function wattsOf(from: From): Record<string, number | null> {
  const average = from('averageWatts', (one) => averageOf(one.power));
  return {
    average_watts: average,
    device_watts: average,
    max_watts: from('maxWatts', (one) => highestOf(one.power)),
    weighted_average_watts: from('normalizedWatts', () => null),
  };
}

const finite = (value: number | null | undefined): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;

/** As XML writes it; without a zone it is one of UTC, and not of wherever this program runs. NaN for anything else. */
export function writtenMoment(text: string): number {
  const [, wall, zone] = WRITTEN.exec(text) ?? [];
  return wall === undefined ? Number.NaN : Date.parse(`${wall}${zone ?? 'Z'}`);
}
const WRITTEN = /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?$/i;

/** The wire form of a moment. */
export const momentOf = (at: number): string => `${new Date(at).toISOString().slice(0, -1)}+00:00`;

/** The day of a moment where the user was; in UTC where nobody says where. */
export const dayOf = (at: number, offset: number | null): string =>
  new Date(at + (offset ?? 0) * 1000).toISOString().slice(0, 10);

/** Whether a moment can be one of a measurement: some devices that lost theirs write 1970 or 1989, some files rubbish. */
export const isMoment = (at: number): boolean => at >= EARLIEST && at <= LATEST;
const EARLIEST = Date.UTC(1995, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);

/** So many points one file may have: five days and more at one a second. */
export const POINTS_MAX = 500_000;
