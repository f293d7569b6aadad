import { SECOND } from '../../../platform/clock.ts';
import type {
  ReadingOrigin,
  HealthReading,
  HealthSample,
  SampledResource,
} from '../../../readings/readings.ts';
import type { PullFunction } from '../definition.ts';
import { createSample, createSampleReadings, createSummary } from '../create-readings.ts';
import { toLocalDay, toUnixSeconds } from '../times.ts';
import { roundTo } from '../wire.ts';
import { fetchAllPages } from './call.ts';
import { fetchIntraday, getOffset, toOrigin } from './pull.ts';
import { Measures, type WithingsMeasureGroup } from './wire.ts';

/** Withings' measure types. */
const MEASURE_TYPES = {
  weight: 1,
  leanMass: 5,
  fatRatio: 6,
  diastolic: 9,
  systolic: 10,
  pulse: 11,
  temperature: 12,
  bloodOxygen: 54,
  bodyTemperature: 71,
  muscleMass: 76,
  water: 77,
  boneMass: 88,
  vo2Max: 123,
  visceralFat: 170,
} as const;
type MeasureName = keyof typeof MEASURE_TYPES;
type MeasureValues = Partial<Record<MeasureName, number>>;

const MEASURE_NAMES = new Map(
  Object.entries(MEASURE_TYPES).map(([name, type]) => [type as number, name as MeasureName]),
);

/** `value * 10^unit`, without floating-point error. */
const scaleValue = (value: number, unit: number): number => Number(`${value}e${unit}`);

const readValues = ({ measures }: WithingsMeasureGroup): MeasureValues =>
  Object.fromEntries(
    measures.flatMap(({ type, value, unit }) => {
      const name = MEASURE_NAMES.get(type);
      return name ? [[name, scaleValue(value, unit)]] : [];
    }),
  );

interface MeasureGroup {
  readonly given: WithingsMeasureGroup;
  readonly values: MeasureValues;
  readonly at: number;
  readonly offset: number | null;
  readonly origin: ReadingOrigin;
}

/** A pull of the given measures, one group of simultaneous measures at a time. Category 1 excludes the user's goals. */
const createMeasurePull = (
  wanted: readonly MeasureName[],
  made: (group: MeasureGroup) => HealthReading[],
): PullFunction =>
  async function* (api, { span }) {
    const form = {
      action: 'getmeas',
      category: 1,
      meastypes: wanted.map((name) => MEASURE_TYPES[name]).join(','),
      startdate: toUnixSeconds(span.from),
      enddate: toUnixSeconds(span.to) - 1,
    };
    const found = await fetchAllPages(api, Measures, { path: '/measure', form });
    const groups = found.flatMap(({ timezone, measuregrps }) =>
      measuregrps.map((given) => ({ given, zone: given.timezone ?? timezone })),
    );
    for (const { given, zone } of groups.toSorted((one, other) => one.given.date - other.given.date)) {
      const at = given.date * SECOND;
      yield* made({
        given,
        values: readValues(given),
        at,
        offset: getOffset(zone, at),
        origin: toOrigin(given),
      });
    }
  };

const createMeasureSamplePull = (
  resource: SampledResource,
  name: MeasureName,
  more?: Readonly<Record<string, unknown>>,
): PullFunction =>
  createMeasurePull([name], ({ values, at, offset, origin }) => {
    const value = values[name];
    const long = more && { until: at, more };
    return value === undefined
      ? []
      : createSampleReadings(resource, origin, [createSample({ at, offset, value, ...long })]);
  });

export const weight = createMeasureSamplePull('weight', 'weight');
export const fat = createMeasureSamplePull('fat', 'fatRatio');
export const bloodOxygen = createMeasureSamplePull('blood_oxygen', 'bloodOxygen');
export const bodyTemperature = createMeasureSamplePull('body_temperature', 'bodyTemperature', {
  sensor_location: null,
});

export const vo2Max: PullFunction = createMeasurePull(
  ['vo2Max'],
  ({ values: { vo2Max: value }, at, offset, origin }) =>
    value === undefined
      ? []
      : createSampleReadings('vo2_max', origin, [createSample({ at, until: at, offset, value })]),
);

export const bloodPressure: PullFunction = createMeasurePull(
  ['systolic', 'diastolic'],
  ({ values: { systolic, diastolic }, at, offset, origin }) =>
    systolic === undefined || diastolic === undefined
      ? []
      : createSampleReadings('blood_pressure', origin, [
          createSample({ at, offset, value: null, more: { systolic, diastolic } }),
        ]),
);

export const body: PullFunction = createMeasurePull(
  ['weight', 'leanMass', 'fatRatio', 'muscleMass', 'water', 'boneMass', 'visceralFat'],
  ({ given, values, at, offset, origin }) => {
    const { weight: kilograms } = values;
    if (kilograms === undefined && values.fatRatio === undefined) return [];
    const percent = (part: number | undefined) =>
      part === undefined || !kilograms ? null : roundTo((part / kilograms) * 100, 2);
    return [
      createSummary({
        resource: 'body',
        origin,
        key: given.grpid,
        at,
        day: toLocalDay(at, offset),
        raw: given,
        body: {
          weight: kilograms ?? null,
          fat: values.fatRatio ?? null,
          water_percentage: percent(values.water),
          muscle_mass_percentage: percent(values.muscleMass),
          visceral_fat_index: values.visceralFat ?? null,
          bone_mass_percentage: percent(values.boneMass),
          lean_body_mass_kilogram: values.leanMass ?? null,
        },
      }),
    ];
  },
);

type WithingsPoint = Awaited<ReturnType<typeof fetchIntraday>>[number]['point'];

/** A pull of intraday samples, grouped by device. */
const createIntradayPull = (
  resource: SampledResource,
  field: string,
  made: (point: WithingsPoint, at: number) => HealthSample | null,
): PullFunction =>
  async function* (api, { span }) {
    const devices = new Map<string, { origin: ReadingOrigin; samples: HealthSample[] }>();
    for (const { at, point } of await fetchIntraday(api, span, field)) {
      const sample = made(point, at);
      if (!sample) continue;
      const key = `${point.deviceid ?? ''} ${point.model ?? ''}`;
      const worn = devices.get(key) ?? { origin: toOrigin(point), samples: [] };
      devices.set(key, worn);
      worn.samples.push(sample);
    }
    for (const { origin, samples } of devices.values())
      yield* createSampleReadings(resource, origin, samples);
  };

const toIntervalSample =
  (field: 'steps' | 'distance' | 'calories') =>
  (point: WithingsPoint, at: number): HealthSample | null => {
    const [value, seconds] = [point[field], point.duration];
    return value == null
      ? null
      : createSample({ at, until: at + (seconds ?? 0) * SECOND, offset: null, value });
  };

const toInstantSample =
  (field: 'heart_rate' | 'rmssd') =>
  (point: WithingsPoint, at: number): HealthSample | null => {
    const value = point[field];
    return value == null ? null : createSample({ at, offset: null, value });
  };

export const steps = createIntradayPull('steps', 'steps,duration', toIntervalSample('steps'));
export const distance = createIntradayPull('distance', 'distance,duration', toIntervalSample('distance'));
export const calories = createIntradayPull(
  'calories_active',
  'calories,duration',
  toIntervalSample('calories'),
);
export const heartrate = createIntradayPull('heartrate', 'heart_rate', toInstantSample('heart_rate'));
export const hrv = createIntradayPull('hrv', 'rmssd', toInstantSample('rmssd'));
