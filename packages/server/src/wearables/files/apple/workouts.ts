import { type ReadingOrigin, matchSport } from '../../../readings/readings.ts';
import type { FileWorkout, FileWorkoutTotals } from '../file-workout.ts';
import { copyText } from '../report.ts';
import { createTrack, type TrackPoint } from '../track.ts';
import { parseAppleTimestamp, TIME_ZONE_KEY } from './timestamps.ts';
import { convertText } from './units.ts';

type AppleWorkoutAttributes = Readonly<Record<string, string>>;

/** A workout element with its children. */
export interface WorkoutElement {
  readonly attributes: AppleWorkoutAttributes;
  readonly line: number;
  readonly origin: ReadingOrigin;
  readonly statistics: AppleWorkoutAttributes[];
  readonly metadata: Map<string, string>;
  /** Paths of its route files. */
  readonly routes: string[];
}

const STATISTICS_MAX = 200;
const TEXT_MAX = 100;

/** Adds a direct child element of a workout. */
export function addWorkoutChild(
  workout: WorkoutElement,
  name: string,
  attributes: AppleWorkoutAttributes,
): void {
  if (name === 'WorkoutStatistics' && workout.statistics.length < STATISTICS_MAX)
    workout.statistics.push(attributes);
  else if (name === 'MetadataEntry' && workout.metadata.size < STATISTICS_MAX) {
    workout.metadata.set(
      copyText(attributes['key'] ?? '', TEXT_MAX),
      copyText(attributes['value'] ?? '', TEXT_MAX),
    );
  } else if (name === 'FileReference' && workout.routes.length < STATISTICS_MAX) {
    workout.routes.push(copyText(attributes['path'] ?? '', 2 * TEXT_MAX));
  }
}

/** The workout with its route points and heart rates; undefined if it has no valid time. */
export function toFileWorkout(
  workout: WorkoutElement,
  given: {
    route: readonly TrackPoint[];
    rates: (start: number, end: number) => readonly TrackPoint[];
    tell: (reason: string) => void;
  },
): FileWorkout | undefined {
  const { attributes, origin, metadata } = workout;
  const zone = metadata.get(TIME_ZONE_KEY);
  const start = parseAppleTimestamp(attributes['startDate'], zone);
  const end = parseAppleTimestamp(attributes['endDate'], zone);
  if (!start || !end || end.at < start.at) return undefined;
  const points = mergeHeartRates(given.route, given.rates(start.at, end.at));
  const kind = (attributes['workoutActivityType'] ?? '').replace('HKWorkoutActivityType', '');
  return {
    key: `apple-${start.at / 1000}-${end.at / 1000}-${kind}-${origin.appId ?? origin.type}`.slice(0, 200),
    origin,
    sport: matchSport(refineSport(kind, metadata), kind),
    title: null,
    start: start.at,
    end: end.at,
    offset: start.offset,
    totals: toTotals(workout),
    track: points.length > 0 ? createTrack(points, given.tell) : null,
    // Heart rates are separate records in an export, with their own origin.
    emitSamples: false,
  };
}

/** Merges heart rates into the route points of the same second; other rates become points of their own. */
function mergeHeartRates(route: readonly TrackPoint[], rates: readonly TrackPoint[]): TrackPoint[] {
  const bySecond = new Map(route.map((point) => [Math.floor(point.at / 1000), point]));
  for (const { at, heartrate } of rates) {
    const second = Math.floor(at / 1000);
    bySecond.set(second, { ...(bySecond.get(second) ?? { at }), heartrate });
  }
  return [...bySecond.values()];
}

// prettier-ignore
const INDOOR_SPORTS: Readonly<Record<string, string>> = {
  Running: 'treadmill_running', Cycling: 'indoor_cycling', Rowing: 'indoor_rowing',
};
// prettier-ignore
const SWIMMING_LOCATIONS: Readonly<Record<string, string>> = { '1': 'lap_swimming', '2': 'open_water_swimming' };

function refineSport(kind: string, metadata: ReadonlyMap<string, string>): string | undefined {
  if (kind === 'Swimming') return SWIMMING_LOCATIONS[metadata.get('HKSwimmingLocationType') ?? ''];
  return metadata.get('HKIndoorWorkout') === '1' ? INDOOR_SPORTS[kind] : undefined;
}

function toTotals({ attributes, statistics, metadata }: WorkoutElement): FileWorkoutTotals {
  const amount = (value: string | undefined, from: string | undefined, to: string) =>
    convertText(value, { from: from ?? '', to });
  const told = (name: string, part: string, unit: string) => {
    const row = statistics.find(({ type }) => type === `HKQuantityTypeIdentifier${name}`);
    return amount(row?.[part], row?.['unit'], unit);
  };
  const distances = statistics.filter(({ type }) => type?.startsWith('HKQuantityTypeIdentifierDistance'));
  const meters = distances.map((row) => amount(row['sum'], row['unit'], 'm') ?? 0);
  const minutes = amount(attributes['duration'], attributes['durationUnit'], 'min');
  return {
    movingSeconds: minutes === undefined ? undefined : minutes * 60,
    averageHr: told('HeartRate', 'average', 'bpm'),
    maxHr: told('HeartRate', 'maximum', 'bpm'),
    distance:
      meters.length > 0
        ? Math.max(...meters)
        : amount(attributes['totalDistance'], attributes['totalDistanceUnit'], 'm') || undefined,
    calories:
      told('ActiveEnergyBurned', 'sum', 'kcal') ??
      amount(attributes['totalEnergyBurned'], attributes['totalEnergyBurnedUnit'], 'kcal'),
    climb: amount(...splitAmount(metadata.get('HKElevationAscended')), 'm'),
    averageSpeed: told('RunningSpeed', 'average', 'm/s') ?? told('CyclingSpeed', 'average', 'm/s'),
    maxSpeed: told('RunningSpeed', 'maximum', 'm/s') ?? told('CyclingSpeed', 'maximum', 'm/s'),
    averageWatts: told('RunningPower', 'average', 'W') ?? told('CyclingPower', 'average', 'W'),
    maxWatts: told('RunningPower', 'maximum', 'W') ?? told('CyclingPower', 'maximum', 'W'),
    steps: told('StepCount', 'sum', 'count'),
  };
}

/** Splits `1234 cm` into value and unit. */
function splitAmount(text: string | undefined): [string | undefined, string | undefined] {
  const [value, unit] = (text ?? '').split(' ');
  return [value, unit];
}
