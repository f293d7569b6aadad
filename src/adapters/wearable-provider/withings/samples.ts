import { SECOND } from '../../../platform/clock.ts';
import type { Origin, Reading, Sample, SampledResource } from '../../../wearables/readings.ts';
import type { Pull } from '../definition.ts';
import { sampleOf, samplesOf, summaryOf } from '../made.ts';
import { dayAt, secondsAt } from '../times.ts';
import { round } from '../wire.ts';
import { allPages } from './call.ts';
import { intradayOf, offsetAt, originIn } from './pull.ts';
import { Measures, type WithingsGroup } from './wire.ts';

/** Kinds of measure, by their numbers. */
const MEASURE = {
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
type MeasureName = keyof typeof MEASURE;
type Values = Partial<Record<MeasureName, number>>;

const NAMES = new Map(Object.entries(MEASURE).map(([name, type]) => [type as number, name as MeasureName]));

/** `value * 10^unit`, without the dust that such a product leaves. */
const real = (value: number, unit: number): number => Number(`${value}e${unit}`);

const valuesOf = ({ measures }: WithingsGroup): Values =>
  Object.fromEntries(
    measures.flatMap(({ type, value, unit }) => {
      const name = NAMES.get(type);
      return name ? [[name, real(value, unit)]] : [];
    }),
  );

interface Group {
  readonly given: WithingsGroup;
  readonly values: Values;
  readonly at: number;
  readonly offset: number | null;
  readonly origin: Origin;
}

/** What was measured at one moment becomes readings, whatever has the wanted measures. Goals of the user are left out. */
const measured = (wanted: readonly MeasureName[], made: (group: Group) => Reading[]): Pull =>
  async function* (api, { span }) {
    const form = {
      action: 'getmeas',
      category: 1,
      meastypes: wanted.map((name) => MEASURE[name]).join(','),
      startdate: secondsAt(span.from),
      enddate: secondsAt(span.to) - 1,
    };
    const found = await allPages(api, Measures, { path: '/measure', form });
    const groups = found.flatMap(({ timezone, measuregrps }) =>
      measuregrps.map((given) => ({ given, zone: given.timezone ?? timezone })),
    );
    for (const { given, zone } of groups.toSorted((one, other) => one.given.date - other.given.date)) {
      const at = given.date * SECOND;
      yield* made({
        given,
        values: valuesOf(given),
        at,
        offset: offsetAt(zone, at),
        origin: originIn(given),
      });
    }
  };

const asSample = (
  resource: SampledResource,
  name: MeasureName,
  more?: Readonly<Record<string, unknown>>,
): Pull =>
  measured([name], ({ values, at, offset, origin }) => {
    const value = values[name];
    const long = more && { until: at, more };
    return value === undefined ? [] : samplesOf(resource, origin, [sampleOf({ at, offset, value, ...long })]);
  });

export const weight = asSample('weight', 'weight');
export const fat = asSample('fat', 'fatRatio');
export const bloodOxygen = asSample('blood_oxygen', 'bloodOxygen');
export const bodyTemperature = asSample('body_temperature', 'bodyTemperature', { sensor_location: null });

export const vo2Max: Pull = measured(['vo2Max'], ({ values: { vo2Max: value }, at, offset, origin }) =>
  value === undefined ? [] : samplesOf('vo2_max', origin, [sampleOf({ at, until: at, offset, value })]),
);

export const bloodPressure: Pull = measured(
  ['systolic', 'diastolic'],
  ({ values: { systolic, diastolic }, at, offset, origin }) =>
    systolic === undefined || diastolic === undefined
      ? []
      : samplesOf('blood_pressure', origin, [
          sampleOf({ at, offset, value: null, more: { systolic, diastolic } }),
        ]),
);

export const body: Pull = measured(
  ['weight', 'leanMass', 'fatRatio', 'muscleMass', 'water', 'boneMass', 'visceralFat'],
  ({ given, values, at, offset, origin }) => {
    const { weight: kilograms } = values;
    if (kilograms === undefined && values.fatRatio === undefined) return [];
    const percent = (part: number | undefined) =>
      part === undefined || !kilograms ? null : round((part / kilograms) * 100, 2);
    return [
      summaryOf({
        resource: 'body',
        origin,
        key: given.grpid,
        at,
        day: dayAt(at, offset),
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

type Point = Awaited<ReturnType<typeof intradayOf>>[number]['point'];

/** Samples of the watch or the phone, grouped by it. */
const intraday = (
  resource: SampledResource,
  field: string,
  made: (point: Point, at: number) => Sample | null,
): Pull =>
  async function* (api, { span }) {
    const devices = new Map<string, { origin: Origin; samples: Sample[] }>();
    for (const { at, point } of await intradayOf(api, span, field)) {
      const sample = made(point, at);
      if (!sample) continue;
      const key = `${point.deviceid ?? ''} ${point.model ?? ''}`;
      const worn = devices.get(key) ?? { origin: originIn(point), samples: [] };
      devices.set(key, worn);
      worn.samples.push(sample);
    }
    for (const { origin, samples } of devices.values()) yield* samplesOf(resource, origin, samples);
  };

const overTime =
  (field: 'steps' | 'distance' | 'calories') =>
  (point: Point, at: number): Sample | null => {
    const [value, seconds] = [point[field], point.duration];
    return value == null ? null : sampleOf({ at, until: at + (seconds ?? 0) * SECOND, offset: null, value });
  };

const atMoment =
  (field: 'heart_rate' | 'rmssd') =>
  (point: Point, at: number): Sample | null => {
    const value = point[field];
    return value == null ? null : sampleOf({ at, offset: null, value });
  };

export const steps = intraday('steps', 'steps,duration', overTime('steps'));
export const distance = intraday('distance', 'distance,duration', overTime('distance'));
export const calories = intraday('calories_active', 'calories,duration', overTime('calories'));
export const heartrate = intraday('heartrate', 'heart_rate', atMoment('heart_rate'));
export const hrv = intraday('hrv', 'rmssd', atMoment('rmssd'));
