import type { SampledResource, StreamColumns, SummaryResource } from '../../readings/readings.ts';

/** The minimum and maximum plausible value, both inclusive. */
export type ValueBounds = readonly [number, number];

/**
 * Plausible values of samples, in the unit of the resource. Deliberately wide: values beyond indicate a wrong unit or a
 * broken sensor, not a sick person.
 */
// prettier-ignore
export const SAMPLE_BOUNDS: { readonly [R in SampledResource]: ValueBounds } = {
  calories_active: [0, 30_000],        calories_basal: [0, 30_000],         blood_pressure: [0, 400],
  blood_oxygen: [0, 100],              weight: [0.2, 800],                  fat: [0, 100],
  body_temperature: [10, 50],          body_temperature_delta: [-30, 30],   caffeine: [0, 50],
  cholesterol: [0, 60],                distance: [0, 2_000_000],            floors_climbed: [0, 10_000],
  glucose: [0, 150],                   heartrate: [10, 400],                hrv: [0, 2000],
  ige: [0, 1_000_000],                 igg: [0, 1_000_000],                 mindfulness_minutes: [0, 44_640],
  respiratory_rate: [0, 200],          steps: [0, 500_000],                 stress_level: [0, 100],
  vo2_max: [0, 120],                   water: [0, 50_000],                  electrocardiogram_voltage: [-100, 100],
  afib_burden: [0, 100],               heart_rate_alert: [1, 1],            workout_duration: [0, 44_640],
  insulin_injection: [0, 1000],        carbohydrates: [0, 10_000],          note: [0, 0],
  stand_hour: [0, 24],                 stand_duration: [0, 44_640],         sleep_apnea_alert: [0, 10_000],
  sleep_breathing_disturbance: [0, 10_000], wheelchair_push: [0, 500_000],  forced_expiratory_volume_1: [0, 20],
  forced_vital_capacity: [0, 20],      peak_expiratory_flow_rate: [0, 2000], inhaler_usage: [0, 1000],
  fall: [0, 1000],                     uv_exposure: [0, 50],                daylight_exposure: [0, 44_640],
  handwashing: [0, 10_000],            basal_body_temperature: [20, 50],    body_mass_index: [2, 400],
  lean_body_mass: [0.1, 800],          waist_circumference: [5, 500],       heart_rate_recovery_one_minute: [-200, 300],
  workout_distance: [0, 2_000_000],    workout_swimming_stroke: [0, 200_000], hypnogram: [-1, 5],
};

/** Plausible values of resource-specific sample fields. */
export const FIELD_BOUNDS: Readonly<Record<string, ValueBounds>> = {
  systolic: [20, 400],
  diastolic: [5, 300],
};

const HEART_RATE: ValueBounds = [10, 400];
const ENERGY: ValueBounds = [0, 50_000];
const METERS: ValueBounds = [0, 5_000_000];
const MINUTES: ValueBounds = [0, 1500];
const SECONDS: ValueBounds = [0, 172_800];
const PERCENT: ValueBounds = [0, 100];
const COUNT: ValueBounds = [0, 500_000];
const WATTS: ValueBounds = [0, 5000];
const ALTITUDE: ValueBounds = [-1000, 30_000];
const SPEED: ValueBounds = [0, 400];

/** Plausible values of summary fields, by path. Other fields are not checked. */
// prettier-ignore
export const SUMMARY_BOUNDS: { readonly [R in SummaryResource]: Readonly<Record<string, ValueBounds>> } = {
  activity: {
    calories_total: ENERGY, calories_active: ENERGY, steps: COUNT, distance: METERS, low: MINUTES, medium: MINUTES,
    high: MINUTES, floors_climbed: [0, 20_000], wheelchair_push: COUNT, 'heart_rate.avg_bpm': HEART_RATE,
    'heart_rate.min_bpm': HEART_RATE, 'heart_rate.max_bpm': HEART_RATE, 'heart_rate.resting_bpm': HEART_RATE,
    'heart_rate.avg_walking_bpm': HEART_RATE,
  },
  sleep: {
    duration: SECONDS, total: SECONDS, awake: SECONDS, light: SECONDS, rem: SECONDS, deep: SECONDS, latency: SECONDS,
    score: PERCENT, recovery_readiness_score: PERCENT, efficiency: PERCENT, hr_lowest: HEART_RATE, hr_average: HEART_RATE,
    hr_resting: HEART_RATE, temperature_delta: [-30, 30], skin_temperature: [0, 50], average_hrv: [0, 2000],
    respiratory_rate: [0, 200],
  },
  sleep_cycle: {},
  workouts: {
    moving_time: [0, 2_678_400], average_hr: HEART_RATE, max_hr: HEART_RATE, distance: METERS, calories: ENERGY,
    total_elevation_gain: [0, 100_000], elev_high: ALTITUDE, elev_low: ALTITUDE, average_speed: SPEED, max_speed: SPEED,
    average_watts: WATTS, device_watts: WATTS, max_watts: [0, 10_000], weighted_average_watts: WATTS, steps: COUNT,
  },
  body: {
    weight: [0.2, 800], fat: PERCENT, water_percentage: PERCENT, muscle_mass_percentage: PERCENT,
    visceral_fat_index: PERCENT, bone_mass_percentage: PERCENT, body_mass_index: [2, 400],
    lean_body_mass_kilogram: [0.1, 800], waist_circumference_centimeter: [5, 500],
  },
  profile: { height: [10, 300] },
  meal: { 'energy.value': ENERGY },
  menstrual_cycle: {},
  electrocardiogram: {
    voltage_sample_count: [0, 100_000_000], sampling_frequency_hz: [0, 100_000], heart_rate_mean: HEART_RATE,
  },
};

/** Plausible values of workout streams. */
// prettier-ignore
export const STREAM_BOUNDS: { readonly [C in Exclude<keyof StreamColumns, 'time'>]: ValueBounds } = {
  cadence: [0, 1000], altitude: ALTITUDE, velocity_smooth: SPEED, heartrate: [0, 400], lat: [-90, 90],
  lng: [-180, 180], distance: METERS, power: [-10_000, 10_000], resistance: [-10_000, 10_000], temperature: [-100, 100],
};
