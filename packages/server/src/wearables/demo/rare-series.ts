import type { TimeseriesName } from '../../readings/readings.ts';
import type { DemoPerson } from './person.ts';

/** A resource that is measured a few times a day or a month: one row of the table. */
export interface RareSeries {
  readonly resource: TimeseriesName;
  /** Every how many days; each person has days of their own. */
  readonly everyDays: number;
  /** Samples on such a day, evenly spread over the hours. */
  readonly times: number;
  /** Local hours. */
  readonly hours: readonly [from: number, until: number];
  /** How long a measurement takes; null for one without an end in the interface. */
  readonly minutes: number | null;
  readonly range: readonly [low: number, high: number];
  readonly digits: number;
  /** Taken in turn. */
  readonly types?: readonly string[];
  /** Fields that are specific to the resource. */
  readonly more?: Readonly<Record<string, unknown>>;
  /** What is usual for this person; otherwise somewhere in the range. */
  readonly usual?: (person: DemoPerson) => number;
}

const bodyMassIndex = ({ weightKg, heightCm }: DemoPerson): number => weightKg / (heightCm / 100) ** 2;
const litersOf = ({ heightCm, sex }: DemoPerson): number => heightCm * 0.05 - (sex === 'female' ? 4.6 : 4.3);

const FOREHEAD = { sensor_location: 'forehead' };
const BOLUS = { delivery_mode: 'bolus', delivery_form: 'standard', bolus_purpose: 'meal' };

/** What an iPhone with a watch, and what is entered by hand or by other devices in the same app. */
// prettier-ignore
const APPLE: readonly RareSeries[] = [
  { resource: 'afib_burden',              everyDays: 7,  times: 1,  hours: [6, 7],   minutes: 30,   range: [0, 4],       digits: 1 },
  { resource: 'basal_body_temperature',   everyDays: 1,  times: 1,  hours: [6, 7],   minutes: 5,    range: [36.1, 36.9], digits: 2 },
  { resource: 'blood_pressure',           everyDays: 2,  times: 1,  hours: [8, 9],   minutes: null, range: [102, 138],   digits: 0 },
  { resource: 'body_mass_index',          everyDays: 4,  times: 1,  hours: [8, 9],   minutes: 1,    range: [19, 31],     digits: 1, usual: bodyMassIndex },
  { resource: 'body_temperature',         everyDays: 3,  times: 1,  hours: [9, 20],  minutes: 1,    range: [36.3, 37.2], digits: 1, more: FOREHEAD },
  { resource: 'caffeine',                 everyDays: 1,  times: 2,  hours: [8, 15],  minutes: 5,    range: [0.05, 0.14], digits: 3 },
  { resource: 'carbohydrates',            everyDays: 1,  times: 3,  hours: [8, 21],  minutes: 15,   range: [30, 90],     digits: 0 },
  { resource: 'cholesterol',              everyDays: 14, times: 4,  hours: [8, 9],   minutes: null, range: [1, 5],       digits: 1, types: ['total', 'ldl', 'hdl', 'triglycerides'] },
  { resource: 'daylight_exposure',        everyDays: 1,  times: 3,  hours: [8, 19],  minutes: 60,   range: [5, 45],      digits: 0 },
  { resource: 'fall',                     everyDays: 14, times: 1,  hours: [8, 20],  minutes: 1,    range: [1, 1],       digits: 0 },
  { resource: 'forced_expiratory_volume_1', everyDays: 7, times: 1, hours: [8, 9],   minutes: 1,    range: [2.2, 4.6],   digits: 2, usual: (person) => litersOf(person) * 0.8 },
  { resource: 'forced_vital_capacity',    everyDays: 7,  times: 1,  hours: [9, 10],  minutes: 1,    range: [2.8, 5.6],   digits: 2, usual: litersOf },
  { resource: 'glucose',                  everyDays: 3,  times: 2,  hours: [7, 20],  minutes: null, range: [4.6, 7.4],   digits: 1, types: ['manual'] },
  { resource: 'handwashing',              everyDays: 1,  times: 4,  hours: [8, 21],  minutes: 1,    range: [1, 1],       digits: 0 },
  { resource: 'heart_rate_alert',         everyDays: 10, times: 1,  hours: [9, 21],  minutes: 10,   range: [1, 1],       digits: 0, types: ['high_heart_rate'] },
  { resource: 'ige',                      everyDays: 14, times: 3,  hours: [9, 10],  minutes: null, range: [0.1, 18],    digits: 1, types: ['birch', 'cat', 'house_dust_mite'] },
  { resource: 'igg',                      everyDays: 14, times: 3,  hours: [10, 11], minutes: null, range: [2, 60],      digits: 1, types: ['milk', 'wheat', 'egg_white'] },
  { resource: 'inhaler_usage',            everyDays: 5,  times: 1,  hours: [8, 21],  minutes: 1,    range: [1, 2],       digits: 0 },
  { resource: 'insulin_injection',        everyDays: 1,  times: 3,  hours: [8, 21],  minutes: 1,    range: [3, 9],       digits: 0, types: ['rapid_acting'], more: BOLUS },
  { resource: 'lean_body_mass',           everyDays: 4,  times: 1,  hours: [8, 9],   minutes: 1,    range: [35, 80],     digits: 1, usual: ({ weightKg, fatPercent }) => weightKg * (1 - fatPercent / 100) },
  { resource: 'mindfulness_minutes',      everyDays: 2,  times: 1,  hours: [20, 21], minutes: 10,   range: [5, 10],      digits: 0 },
  { resource: 'peak_expiratory_flow_rate', everyDays: 7, times: 1,  hours: [10, 11], minutes: 1,    range: [320, 620],   digits: 0 },
  { resource: 'sleep_apnea_alert',        everyDays: 14, times: 1,  hours: [7, 8],   minutes: 1,    range: [1, 1],       digits: 0 },
  { resource: 'sleep_breathing_disturbance', everyDays: 1, times: 1, hours: [5, 6],  minutes: 30,   range: [0, 6],       digits: 1, types: ['not_elevated'] },
  { resource: 'stand_duration',           everyDays: 1,  times: 12, hours: [8, 20],  minutes: 60,   range: [2, 25],      digits: 0 },
  { resource: 'stand_hour',               everyDays: 1,  times: 12, hours: [8, 20],  minutes: 60,   range: [1, 1],       digits: 0, types: ['stood', 'stood', 'stood', 'idle'] },
  { resource: 'uv_exposure',              everyDays: 1,  times: 1,  hours: [12, 14], minutes: 60,   range: [1, 7],       digits: 0 },
  { resource: 'vo2_max',                  everyDays: 3,  times: 1,  hours: [18, 20], minutes: 10,   range: [28, 54],     digits: 1 },
  { resource: 'waist_circumference',      everyDays: 14, times: 1,  hours: [8, 9],   minutes: 1,    range: [66, 108],    digits: 1 },
  { resource: 'water',                    everyDays: 1,  times: 5,  hours: [8, 21],  minutes: null, range: [180, 420],   digits: 0 },
  { resource: 'wheelchair_push',          everyDays: 10, times: 2,  hours: [10, 18], minutes: 5,    range: [8, 40],      digits: 0 },
  { resource: 'workout_swimming_stroke',  everyDays: 7,  times: 4,  hours: [12, 13], minutes: 10,   range: [90, 210],    digits: 0 },
];

// prettier-ignore
const FITBIT: readonly RareSeries[] = [
  { resource: 'vo2_max',           everyDays: 3, times: 1, hours: [7, 8],  minutes: 1,    range: [28, 54],   digits: 0 },
  { resource: 'water',             everyDays: 1, times: 5, hours: [8, 21], minutes: null, range: [180, 420], digits: 0 },
];

// prettier-ignore
const OURA: readonly RareSeries[] = [
  { resource: 'stress_level',      everyDays: 1, times: 8, hours: [8, 22], minutes: null, range: [15, 85],   digits: 0 },
];

/** What people enter in the app of the sensor. */
// prettier-ignore
const LIBRE: readonly RareSeries[] = [
  { resource: 'carbohydrates',     everyDays: 1, times: 3, hours: [8, 21], minutes: 1,    range: [30, 90],   digits: 0 },
  { resource: 'insulin_injection', everyDays: 1, times: 3, hours: [8, 21], minutes: 1,    range: [3, 9],     digits: 0, types: ['rapid_acting'], more: BOLUS },
  { resource: 'note',              everyDays: 3, times: 1, hours: [12, 20], minutes: 1,   range: [0, 0],     digits: 0, more: { value: 'Ate out', tags: ['food'] } },
];

export const RARE_SERIES = {
  apple_health_kit: APPLE,
  fitbit: FITBIT,
  oura: OURA,
  freestyle_libre: LIBRE,
} as const satisfies Readonly<Record<string, readonly RareSeries[]>>;
