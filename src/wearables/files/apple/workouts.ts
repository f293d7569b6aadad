import type { Origin } from '../../readings.ts';
import type { Activity, ActivityTotals } from '../activity.ts';
import { ownText } from '../report.ts';
import { sportNamed } from '../../sports.ts';
import { trackOf, type Point } from '../track.ts';
import { momentIn } from './moments.ts';
import { inUnit } from './units.ts';

type Attributes = Readonly<Record<string, string>>;

/** A workout element with what stands in it. */
export interface WorkoutElement {
  readonly attributes: Attributes;
  readonly line: number;
  readonly origin: Origin;
  readonly statistics: Attributes[];
  readonly metadata: Map<string, string>;
  /** Paths of the files of its route. */
  readonly routes: string[];
}

const STATISTICS_MAX = 200;
const TEXT_MAX = 100;

/** Takes what stands directly in a workout. */
export function takeInto(workout: WorkoutElement, name: string, attributes: Attributes): void {
  if (name === 'WorkoutStatistics' && workout.statistics.length < STATISTICS_MAX)
    workout.statistics.push(attributes);
  else if (name === 'MetadataEntry' && workout.metadata.size < STATISTICS_MAX) {
    workout.metadata.set(
      ownText(attributes['key'] ?? '', TEXT_MAX),
      ownText(attributes['value'] ?? '', TEXT_MAX),
    );
  } else if (name === 'FileReference' && workout.routes.length < STATISTICS_MAX) {
    workout.routes.push(ownText(attributes['path'] ?? '', 2 * TEXT_MAX));
  }
}

/** The workout with the points of its route and the heart rates of its time; undefined where it has no time. */
export function activityOf(
  workout: WorkoutElement,
  given: {
    route: readonly Point[];
    rates: (start: number, end: number) => readonly Point[];
    tell: (reason: string) => void;
  },
): Activity | undefined {
  const { attributes, origin, metadata } = workout;
  const start = momentIn(attributes['startDate']);
  const end = momentIn(attributes['endDate']);
  if (!start || !end || end.at < start.at) return undefined;
  const points = joined(given.route, given.rates(start.at, end.at));
  const kind = (attributes['workoutActivityType'] ?? '').replace('HKWorkoutActivityType', '');
  return {
    key: `apple-${start.at / 1000}-${end.at / 1000}-${kind}-${origin.appId ?? origin.type}`.slice(0, 200),
    origin,
    sport: sportNamed(finer(kind, metadata), kind),
    title: null,
    start: start.at,
    end: end.at,
    offset: start.offset,
    totals: totalsOf(workout),
    track: points.length > 0 ? trackOf(points, given.tell) : null,
    // They are records of their own, of whatever measured them.
    samples: false,
  };
}

/** A heart rate goes into the point of its second, or is a point by itself. */
function joined(route: readonly Point[], rates: readonly Point[]): Point[] {
  const bySecond = new Map(route.map((point) => [Math.floor(point.at / 1000), point]));
  for (const { at, heartrate } of rates) {
    const second = Math.floor(at / 1000);
    bySecond.set(second, { ...(bySecond.get(second) ?? { at }), heartrate });
  }
  return [...bySecond.values()];
}

// prettier-ignore
const INDOORS: Readonly<Record<string, string>> = {
  Running: 'treadmill_running', Cycling: 'indoor_cycling', Rowing: 'indoor_rowing',
};
// prettier-ignore
const WATERS: Readonly<Record<string, string>> = { '1': 'lap_swimming', '2': 'open_water_swimming' };

function finer(kind: string, metadata: ReadonlyMap<string, string>): string | undefined {
  if (kind === 'Swimming') return WATERS[metadata.get('HKSwimmingLocationType') ?? ''];
  return metadata.get('HKIndoorWorkout') === '1' ? INDOORS[kind] : undefined;
}

function totalsOf({ attributes, statistics, metadata }: WorkoutElement): ActivityTotals {
  const amount = (value: string | undefined, from: string | undefined, to: string) =>
    value === undefined || value === '' ? undefined : inUnit(Number(value), { from: from ?? '', to });
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
    climb: amount(...words(metadata.get('HKElevationAscended')), 'm'),
    averageSpeed: told('RunningSpeed', 'average', 'm/s') ?? told('CyclingSpeed', 'average', 'm/s'),
    maxSpeed: told('RunningSpeed', 'maximum', 'm/s') ?? told('CyclingSpeed', 'maximum', 'm/s'),
    averageWatts: told('RunningPower', 'average', 'W') ?? told('CyclingPower', 'average', 'W'),
    maxWatts: told('RunningPower', 'maximum', 'W') ?? told('CyclingPower', 'maximum', 'W'),
    steps: told('StepCount', 'sum', 'count'),
  };
}

/** `1234 cm` in two. */
function words(text: string | undefined): [string | undefined, string | undefined] {
  const [value, unit] = (text ?? '').split(' ');
  return [value, unit];
}
