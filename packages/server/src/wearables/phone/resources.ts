import type { SampledResource } from '../../readings/readings.ts';

/** How the samples of one resource arrive from phones. */
export interface PhoneSamples {
  readonly resource: SampledResource;
  /** What a value is multiplied with, by the unit that was sent. Values of other units are refused. */
  readonly units: Readonly<Record<string, number>>;
  /** The type of a sample, from its metadata; for resources whose samples have one. */
  readonly typeOf?: (metadata: Readonly<Record<string, unknown>>, value: number) => string | null;
}

const MG_DL_PER_MMOL_L = 18.0182;

// Health Connect calls these amounts kJ, but takes them from its records in kilocalories.
const energy = { kcal: 1, kJ: 1 };
const count = { count: 1, '': 1 };
const perMinute = { bpm: 1, count: 1, '': 1 };
const percent = { '%': 1, percent: 1 };
const meters = { meter: 1, m: 1 };
const minutes = { minute: 1, min: 1 };
const celsius = { '°C': 1 };
const kilograms = { kg: 1 };
const index = { index: 1, count: 1 };

/** Every sample resource of both SDKs by its name there. */
// prettier-ignore
export const PHONE_SAMPLES: Readonly<Record<string, PhoneSamples>> = {
  glucose:                     { resource: 'glucose', units: { 'mmol/L': 1, 'mg/dL': 1 / MG_DL_PER_MMOL_L } },
  blood_oxygen:                { resource: 'blood_oxygen', units: percent },
  heartrate:                   { resource: 'heartrate', units: perMinute },
  heartrate_variability:       { resource: 'hrv', units: { rmssd: 1 } },
  water:                       { resource: 'water', units: { mL: 1, ml: 1 } },
  caffeine:                    { resource: 'caffeine', units: { g: 1, gram: 1, mg: 0.001 } },
  mindfulness_minutes:         { resource: 'mindfulness_minutes', units: minutes },
  calories_active:             { resource: 'calories_active', units: energy },
  calories_basal:              { resource: 'calories_basal', units: energy },
  distance:                    { resource: 'distance', units: meters },
  floors_climbed:              { resource: 'floors_climbed', units: count },
  steps:                       { resource: 'steps', units: count },
  vo2_max:                     { resource: 'vo2_max', units: { 'mL/kg/min': 1 } },
  respiratory_rate:            { resource: 'respiratory_rate', units: perMinute },
  temperature:                 { resource: 'body_temperature', units: celsius },
  basal_body_temperature:      { resource: 'basal_body_temperature', units: celsius },
  afib_burden:                 { resource: 'afib_burden', units: percent },
  heart_rate_alert:            { resource: 'heart_rate_alert', units: count, typeOf: ({ type }) => asText(type) },
  stand_hour:                  { resource: 'stand_hour', units: count, typeOf: ({ type, category }, value) => asText(type ?? category) ?? (value === 0 ? 'stood' : 'idle') },
  stand_duration:              { resource: 'stand_duration', units: minutes },
  sleep_apnea_alert:           { resource: 'sleep_apnea_alert', units: count },
  sleep_breathing_disturbance: { resource: 'sleep_breathing_disturbance', units: count, typeOf: ({ category }) => asText(category) },
  wheelchair_push:             { resource: 'wheelchair_push', units: count },
  forced_expiratory_volume_1:  { resource: 'forced_expiratory_volume_1', units: { L: 1 } },
  forced_vital_capacity:       { resource: 'forced_vital_capacity', units: { L: 1 } },
  peak_expiratory_flow_rate:   { resource: 'peak_expiratory_flow_rate', units: { 'L/min': 1 } },
  inhaler_usage:               { resource: 'inhaler_usage', units: count },
  fall:                        { resource: 'fall', units: count },
  uv_exposure:                 { resource: 'uv_exposure', units: index },
  daylight_exposure:           { resource: 'daylight_exposure', units: minutes },
  handwashing:                 { resource: 'handwashing', units: count },
  heart_rate_recovery_one_minute: { resource: 'heart_rate_recovery_one_minute', units: perMinute },
};

/** The samples within a body summary, by their field there. */
// prettier-ignore
export const BODY_SAMPLES: Readonly<Record<string, PhoneSamples & { readonly field: string }>> = {
  body_mass:           { resource: 'weight', units: kilograms, field: 'weight' },
  body_fat_percentage: { resource: 'fat', units: percent, field: 'fat' },
  body_mass_index:     { resource: 'body_mass_index', units: index, field: 'body_mass_index' },
  lean_body_mass:      { resource: 'lean_body_mass', units: kilograms, field: 'lean_body_mass_kilogram' },
  waist_circumference: { resource: 'waist_circumference', units: { centimeter: 1, cm: 1 }, field: 'waist_circumference_centimeter' },
};

/** The samples within an activity, a sleep and a workout, by their field there. */
// prettier-ignore
export const NESTED_SAMPLES: Readonly<Record<string, string>> = {
  active_energy_burned: 'calories_active', basal_energy_burned: 'calories_basal', steps: 'steps',
  floors_climbed: 'floors_climbed', distance_walking_running: 'distance', vo_2_max: 'vo2_max',
  heart_rate: 'heartrate', heart_rate_variability: 'heartrate_variability', respiratory_rate: 'respiratory_rate',
};

const asText = (given: unknown): string | null => (typeof given === 'string' && given !== '' ? given : null);

/** The names of phones that are not those of this service. */
export const PHONE_ALIASES: readonly string[] = Object.entries(PHONE_SAMPLES).flatMap(
  ([name, { resource }]) => (name === resource ? [] : [name]),
);
