import { TIMESERIES, type TimeseriesName } from '../wearables/wearables.ts';
import type { Column, Kind } from './row.ts';
import { at } from './summary-columns.ts';

/** Families of samples, as the contract has an expression for each. */
// prettier-ignore
export const DISCRETE = [
  'glucose', 'heartrate', 'hrv', 'ige', 'igg', 'cholesterol', 'weight', 'fat', 'blood_oxygen',
  'electrocardiogram_voltage', 'respiratory_rate', 'stress_level',
] as const satisfies readonly TimeseriesName[];
// prettier-ignore
export const INTERVAL = [
  'steps', 'distance', 'vo2_max', 'heart_rate_alert', 'stand_hour', 'sleep_breathing_disturbance', 'water', 'caffeine',
  'mindfulness_minutes', 'calories_active', 'floors_climbed', 'calories_basal', 'afib_burden', 'stand_duration',
  'sleep_apnea_alert', 'wheelchair_push', 'forced_expiratory_volume_1', 'forced_vital_capacity',
  'peak_expiratory_flow_rate', 'inhaler_usage', 'fall', 'uv_exposure', 'daylight_exposure', 'handwashing',
  'basal_body_temperature', 'body_mass_index', 'lean_body_mass', 'waist_circumference',
  'heart_rate_recovery_one_minute', 'workout_swimming_stroke', 'workout_distance', 'carbohydrates',
] as const satisfies readonly TimeseriesName[];
export const TEMPERATURE = [
  'body_temperature',
  'body_temperature_delta',
] as const satisfies readonly TimeseriesName[];

// prettier-ignore
const COMMON: Readonly<Record<string, Kind>> = {
  timezone_offset: 'integer',
  type:            'text',
};
const VALUE = { value: 'number' } as const;
const OVER_TIME = { duration: 'number', ...VALUE } as const;

// prettier-ignore
const OWN: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  ...Object.fromEntries(DISCRETE.map((name) => [name, VALUE])),
  ...Object.fromEntries(INTERVAL.map((name) => [name, OVER_TIME])),
  ...Object.fromEntries(TEMPERATURE.map((name) => [name, { ...OVER_TIME, sensor_location: 'text' }])),
  insulin_injection: { ...OVER_TIME, delivery_mode: 'text', delivery_form: 'text', bolus_purpose: 'text' },
  blood_pressure:    { systolic: 'number', diastolic: 'number' },
  workout_duration:  { ...OVER_TIME, intensity: 'text' },
  note:              { tags: 'list', content: 'text' },
};

/** Every resource that can be asked for, each with its own fields. */
export const isSampled = (name: string): name is TimeseriesName => name in OWN && name in TIMESERIES;

export function sampleColumns(resource: TimeseriesName): ReadonlyMap<string, Column> {
  const kinds = { ...COMMON, ...OWN[resource] };
  return new Map(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { name, kind, of: ({ fields }) => read(fields, name) },
    ]),
  );
}

/** Where a field lies in a sample as it is kept; the rest stands in `more`. */
function read(fields: Readonly<Record<string, unknown>>, name: string) {
  const { at: from, until, more, value } = fields;
  if (name === 'value') return typeof value === 'number' ? value : null;
  if (name === 'duration') {
    return typeof from === 'number' && typeof until === 'number' ? (until - from) / 1000 : null;
  }
  if (name === 'type') return plain(fields['type']);
  if (name === 'timezone_offset') return plain(fields['offset']);
  return plain(at(more, name === 'content' ? 'value' : name));
}

const plain = (value: unknown) =>
  typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value)
    ? value
    : null;
