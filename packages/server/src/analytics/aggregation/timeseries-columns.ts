import { TIMESERIES, type TimeseriesName } from '../../readings/readings.ts';
import type { AggregationColumn, ColumnKind } from './row.ts';
import { readPath } from './summary-columns.ts';

/** Timeseries grouped by their fields; the interface has one expression for each group. */
// prettier-ignore
export const DISCRETE_TIMESERIES = [
  'glucose', 'heartrate', 'hrv', 'ige', 'igg', 'cholesterol', 'weight', 'fat', 'blood_oxygen',
  'electrocardiogram_voltage', 'respiratory_rate', 'stress_level',
] as const satisfies readonly TimeseriesName[];
// prettier-ignore
export const INTERVAL_TIMESERIES = [
  'steps', 'distance', 'vo2_max', 'heart_rate_alert', 'stand_hour', 'sleep_breathing_disturbance', 'water', 'caffeine',
  'mindfulness_minutes', 'calories_active', 'floors_climbed', 'calories_basal', 'afib_burden', 'stand_duration',
  'sleep_apnea_alert', 'wheelchair_push', 'forced_expiratory_volume_1', 'forced_vital_capacity',
  'peak_expiratory_flow_rate', 'inhaler_usage', 'fall', 'uv_exposure', 'daylight_exposure', 'handwashing',
  'basal_body_temperature', 'body_mass_index', 'lean_body_mass', 'waist_circumference',
  'heart_rate_recovery_one_minute', 'workout_swimming_stroke', 'workout_distance', 'carbohydrates',
] as const satisfies readonly TimeseriesName[];
export const TEMPERATURE_TIMESERIES = [
  'body_temperature',
  'body_temperature_delta',
] as const satisfies readonly TimeseriesName[];

// prettier-ignore
const COMMON_FIELD_KINDS: Readonly<Record<string, ColumnKind>> = {
  timezone_offset: 'integer',
  type:            'text',
};
const VALUE = { value: 'number' } as const;
const INTERVAL_FIELD_KINDS = { duration: 'number', ...VALUE } as const;

// prettier-ignore
const FIELD_KINDS: Readonly<Record<string, Readonly<Record<string, ColumnKind>>>> = {
  ...Object.fromEntries(DISCRETE_TIMESERIES.map((name) => [name, VALUE])),
  ...Object.fromEntries(INTERVAL_TIMESERIES.map((name) => [name, INTERVAL_FIELD_KINDS])),
  ...Object.fromEntries(TEMPERATURE_TIMESERIES.map((name) => [name, { ...INTERVAL_FIELD_KINDS, sensor_location: 'text' }])),
  insulin_injection: { ...INTERVAL_FIELD_KINDS, delivery_mode: 'text', delivery_form: 'text', bolus_purpose: 'text' },
  blood_pressure:    { systolic: 'number', diastolic: 'number' },
  workout_duration:  { ...INTERVAL_FIELD_KINDS, intensity: 'text' },
  note:              { tags: 'list', content: 'text' },
};

/** Whether a resource can be queried as a timeseries. */
export const isQueryableTimeseries = (name: string): name is TimeseriesName =>
  name in FIELD_KINDS && name in TIMESERIES;

export function listSampleColumns(resource: TimeseriesName): ReadonlyMap<string, AggregationColumn> {
  const kinds = { ...COMMON_FIELD_KINDS, ...FIELD_KINDS[resource] };
  return new Map(
    Object.entries(kinds).map(([name, kind]) => [
      name,
      { name, kind, of: ({ fields }) => readSampleField(fields, name) },
    ]),
  );
}

/** Reads a field from a stored sample. Fields without a property of their own are in `more`. */
function readSampleField(fields: Readonly<Record<string, unknown>>, name: string) {
  const { at: from, until, more, value } = fields;
  if (name === 'value') return typeof value === 'number' ? value : null;
  if (name === 'duration') {
    return typeof from === 'number' && typeof until === 'number' ? (until - from) / 1000 : null;
  }
  if (name === 'type') return toColumnValue(fields['type']);
  if (name === 'timezone_offset') return toColumnValue(fields['offset']);
  return toColumnValue(readPath(more, name === 'content' ? 'value' : name));
}

const toColumnValue = (value: unknown) =>
  typeof value === 'number' || typeof value === 'string' || typeof value === 'boolean' || Array.isArray(value)
    ? value
    : null;
