import type { AggregationColumn, ColumnKind, AggregationRow, ColumnValue } from './row.ts';

/** Reads a column from a summary view. */
type ColumnReader = Pick<AggregationColumn, 'kind' | 'of'>;
export type ColumnReaders<N extends string = string> = { readonly [name in N]: ColumnReader };

export function readPath(fields: unknown, path: string): unknown {
  let here = fields;
  for (const step of path.split('.')) {
    if (typeof here !== 'object' || here === null) return null;
    here = Reflect.get(here, step);
  }
  return here ?? null;
}

const number = (path: string, factor = 1): ColumnReader => ({
  kind: 'number',
  of: ({ fields }) => scaleNumber(readPath(fields, path), factor),
});
const text = (path: string): ColumnReader => ({
  kind: 'text',
  of: ({ fields }) => requireType(readPath(fields, path), 'string'),
});
const boolean = (path: string): ColumnReader => ({
  kind: 'boolean',
  of: ({ fields }) => requireType(readPath(fields, path), 'boolean'),
});
const list = (path: string): ColumnReader => ({
  kind: 'list',
  of: ({ fields }) => {
    const value = readPath(fields, path);
    return Array.isArray(value) ? value : null;
  },
});
const moment = (path: string): ColumnReader => ({ kind: 'moment', of: (row) => readTimestamp(row, path) });
const day = (path: string): ColumnReader => ({
  kind: 'day',
  of: ({ fields }) => parseDay(readPath(fields, path)),
});

/** A moment for values that are known by day only: midnight. */
const midnight = (path: string): ColumnReader => ({
  kind: 'moment',
  of: ({ fields }) => parseDay(readPath(fields, path)),
});

/** A column of the interface for which summaries have no field: always null. */
const unavailable = (kind: ColumnKind): ColumnReader => ({ kind, of: () => null });

const scaleNumber = (value: unknown, factor: number) => (typeof value === 'number' ? value * factor : null);

function requireType(value: unknown, type: 'string' | 'boolean'): ColumnValue {
  return (type === 'string' && typeof value === 'string') ||
    (type === 'boolean' && typeof value === 'boolean')
    ? value
    : null;
}

function readTimestamp(row: AggregationRow, path: string): number | null {
  const value = readPath(row.fields, path);
  const parsed = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(parsed) ? null : row.toLocalTime(parsed);
}

/** Midnight of a day, in local time. */
export function parseDay(value: unknown): number | null {
  const parsed = typeof value === 'string' ? Date.parse(`${value.slice(0, 10)}T00:00:00Z`) : Number.NaN;
  return Number.isNaN(parsed) ? null : parsed;
}

const minutes = (...paths: string[]): ColumnReader => ({
  kind: 'number',
  of: ({ fields }) => {
    const known = paths.map((path) => readPath(fields, path)).filter((value) => typeof value === 'number');
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) * 60;
  },
});

const zone = (place: number) => number(`hr_zones.${place}`);

// prettier-ignore
export const SLEEP_COLUMNS = {
  id:                     text('id'),
  session_start:          moment('bedtime_start'),
  session_end:            moment('bedtime_stop'),
  state:                  text('state'),
  type:                   text('type'),
  duration_second:        number('duration'),
  stage_asleep_second:    number('total'),
  stage_awake_second:     number('awake'),
  stage_light_second:     number('light'),
  stage_rem_second:       number('rem'),
  stage_deep_second:      number('deep'),
  stage_unknown_second:   unavailable('number'),
  latency_second:         number('latency'),
  heart_rate_minimum:     number('hr_lowest'),
  heart_rate_mean:        number('hr_average'),
  heart_rate_maximum:     unavailable('number'),
  heart_rate_dip:         number('hr_dip'),
  heart_rate_resting:     number('hr_resting'),
  efficiency:             number('efficiency'),
  hrv_mean_rmssd:         number('average_hrv'),
  hrv_mean_sdnn:          unavailable('number'),
  skin_temperature:       number('skin_temperature'),
  skin_temperature_delta: number('temperature_delta'),
  respiratory_rate:       number('respiratory_rate'),
  score:                  number('score'),
  recovery_readiness_score: number('recovery_readiness_score'),
  time_zone:              unavailable('text'),
} satisfies ColumnReaders;

// prettier-ignore
export const ACTIVITY_COLUMNS = {
  date:                     day('calendar_date'),
  calories_total:           number('calories_total'),
  calories_active:          number('calories_active'),
  steps:                    number('steps'),
  distance_meter:           number('distance'),
  floors_climbed:           number('floors_climbed'),
  duration_active_second:   minutes('low', 'medium', 'high'),
  intensity_sedentary_second: unavailable('number'),
  intensity_low_second:     minutes('low'),
  intensity_medium_second:  minutes('medium'),
  intensity_high_second:    minutes('high'),
  heart_rate_mean:          number('heart_rate.avg_bpm'),
  heart_rate_minimum:       number('heart_rate.min_bpm'),
  heart_rate_maximum:       number('heart_rate.max_bpm'),
  heart_rate_resting:       number('heart_rate.resting_bpm'),
  heart_rate_mean_walking:  number('heart_rate.avg_walking_bpm'),
  wheelchair_use:           boolean('wheelchair_use'),
  wheelchair_push:          number('wheelchair_push'),
  time_zone:                text('time_zone'),
  time_zone_offset:         number('timezone_offset'),
} satisfies ColumnReaders;

// prettier-ignore
export const WORKOUT_COLUMNS = {
  session_start:          moment('time_start'),
  session_end:            moment('time_end'),
  title:                  text('title'),
  sport_name:             text('sport.name'),
  sport_slug:             text('sport.slug'),
  duration_active_second: number('moving_time'),
  heart_rate_mean:        number('average_hr'),
  heart_rate_minimum:     unavailable('number'),
  heart_rate_maximum:     number('max_hr'),
  heart_rate_zone_1:      zone(0),
  heart_rate_zone_2:      zone(1),
  heart_rate_zone_3:      zone(2),
  heart_rate_zone_4:      zone(3),
  heart_rate_zone_5:      zone(4),
  heart_rate_zone_6:      zone(5),
  distance_meter:         number('distance'),
  calories:               number('calories'),
  elevation_gain_meter:   number('total_elevation_gain'),
  elevation_maximum_meter: number('elev_high'),
  elevation_minimum_meter: number('elev_low'),
  speed_mean:             number('average_speed'),
  speed_maximum:          number('max_speed'),
  power_source:           unavailable('text'),
  power_mean:             number('average_watts'),
  power_maximum:          number('max_watts'),
  power_weighted_mean:    number('weighted_average_watts'),
  steps:                  number('steps'),
  map_polyline:           text('map.polyline'),
  map_summary_polyline:   text('map.summary_polyline'),
  external_id:            text('provider_id'),
  time_zone:              unavailable('text'),
} satisfies ColumnReaders;

// prettier-ignore
export const BODY_COLUMNS = {
  measured_at:             midnight('calendar_date'),
  weight_kilogram:         number('weight'),
  fat_mass_percentage:     number('fat'),
  water_percentage:        number('water_percentage'),
  muscle_mass_percentage:  number('muscle_mass_percentage'),
  visceral_fat_index:      number('visceral_fat_index'),
  bone_mass_percentage:    number('bone_mass_percentage'),
  body_mass_index:         number('body_mass_index'),
  lean_body_mass_kilogram: number('lean_body_mass_kilogram'),
  waist_circumference_centimeter: number('waist_circumference_centimeter'),
  time_zone:               unavailable('text'),
} satisfies ColumnReaders;

const macro = (name: string) => number(`macros.${name}`);
const fat = (name: string) => number(`macros.fats.${name}`);
/** Summaries store all masses in grams. */
const milligrams = (family: string, name: string) => number(`micros.${family}.${name}`, 1000);
const micrograms = (family: string, name: string) => number(`micros.${family}.${name}`, 1_000_000);

// prettier-ignore
const MINERALS = [
  'sodium', 'potassium', 'calcium', 'phosphorus', 'magnesium', 'iron', 'zinc', 'fluoride', 'chloride',
];
// prettier-ignore
const VITAMINS_MILLIGRAM = [
  'vitamin_a', 'vitamin_b1', 'riboflavin', 'niacin', 'pantothenic_acid', 'vitamin_b6', 'vitamin_c', 'vitamin_e',
];
const VITAMINS_MICROGRAM = ['biotin', 'vitamin_b12', 'vitamin_d', 'vitamin_k', 'folic_acid'];
const TRACES_MICROGRAM = ['chromium', 'iodine', 'molybdenum', 'selenium'];
const TRACES_MILLIGRAM = ['copper', 'manganese'];

const createUnitColumns = (
  names: readonly string[],
  ending: string,
  read: (name: string) => ColumnReader,
): ColumnReaders => Object.fromEntries(names.map((name) => [`${name}_${ending}`, read(name)]));

// prettier-ignore
export const MEAL_COLUMNS: ColumnReaders = {
  calories:                number('energy.value'),
  carbohydrate_gram:       macro('carbs'),
  protein_gram:            macro('protein'),
  alcohol_gram:            macro('alcohol'),
  water_gram:              macro('water'),
  fibre_gram:              macro('fibre'),
  sugar_gram:              macro('sugar'),
  cholesterol_gram:        macro('cholesterol'),
  saturated_fat_gram:      fat('saturated'),
  monounsaturated_fat_gram: fat('monounsaturated'),
  polyunsaturated_fat_gram: fat('polyunsaturated'),
  omega3_fat_gram:         fat('omega3'),
  omega6_fat_gram:         fat('omega6'),
  total_fat_gram:          fat('total'),
  ...createUnitColumns(MINERALS, 'milligram', (name) => milligrams('minerals', name)),
  ...createUnitColumns(VITAMINS_MILLIGRAM, 'milligram', (name) => milligrams('vitamins', name)),
  ...createUnitColumns(VITAMINS_MICROGRAM, 'microgram', (name) => micrograms('vitamins', name)),
  ...createUnitColumns(TRACES_MICROGRAM, 'microgram', (name) => micrograms('trace_elements', name)),
  ...createUnitColumns(TRACES_MILLIGRAM, 'milligram', (name) => milligrams('trace_elements', name)),
  date:                    moment('timestamp'),
  name:                    text('name'),
};

// prettier-ignore
export const MENSTRUAL_CYCLE_COLUMNS = {
  period_start:           day('period_start'),
  period_end:             day('period_end'),
  cycle_end:              day('cycle_end'),
  is_predicted:           boolean('is_predicted'),
  menstrual_flow:         list('menstrual_flow'),
  cervical_mucus:         list('cervical_mucus'),
  intermenstrual_bleeding: list('intermenstrual_bleeding'),
  contraceptive:          list('contraceptive'),
  detected_deviations:    list('detected_deviations'),
  ovulation_test:         list('ovulation_test'),
  home_pregnancy_test:    list('home_pregnancy_test'),
  home_progesterone_test: list('home_progesterone_test'),
  sexual_activity:        list('sexual_activity'),
  basal_body_temperature: list('basal_body_temperature'),
} satisfies ColumnReaders;

// prettier-ignore
export const PROFILE_COLUMNS = {
  height_centimeter: number('height'),
  birth_date:        day('birth_date'),
  wheelchair_use:    boolean('wheelchair_use'),
  gender:            text('gender'),
  sex:               text('sex'),
  created_at:        moment('created_at'),
  updated_at:        moment('updated_at'),
} satisfies ColumnReaders;
