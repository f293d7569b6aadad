/** Providers that users connect by OAuth. */
// prettier-ignore
export const OAUTH_PROVIDERS = [
  'oura', 'fitbit', 'garmin', 'strava', 'wahoo', 'ihealth', 'withings', 'google_fit', 'dexcom_v3', 'polar',
  'cronometer', 'omron', 'whoop_v2', 'my_fitness_pal_v2', 'ultrahuman', 'runkeeper', 'google_health',
] as const;
type OAuthProvider = (typeof OAUTH_PROVIDERS)[number];

// prettier-ignore
export const LABS = [
  'ayumetrix', 'spiriplex', 'ussl', 'quest', 'sonora_quest', 'labcorp', 'bioreference', 'us_biotek', 'manual',
  'sanocardio', 'ihd', 'nexus', 'my_uti', 'crl', 'mtl',
] as const;

/** Couriers of kits and services that send messages. */
export const LAB_PROVIDERS = ['shippo', 'sanocardio', 'supera', 'twilio', 'telnyx'] as const;
export const APPOINTMENT_PROVIDERS = ['getlabs', 'phlebfinders', 'quest', 'sonora_quest'] as const;

/** Providers from which we pull data, so that the history to pull can be configured. */
// prettier-ignore
export const PULLED_PROVIDERS = [
  'oura', 'fitbit', 'garmin', 'strava', 'withings', 'peloton', 'wahoo', 'zwift', 'freestyle_libre',
  'abbott_libreview', 'eight_sleep', 'renpho', 'omron', 'dexcom_v3', 'hammerhead', 'polar', 'cronometer', 'kardia',
  'whoop_v2', 'my_fitness_pal_v2', 'map_my_fitness', 'runkeeper', 'apple_health_kit', 'google_fit', 'beurer_api',
  'ultrahuman', 'google_health',
] as const;

/** Resources that data pull preferences can name. */
// prettier-ignore
export const PULLED_RESOURCES = [
  'profile', 'activity', 'sleep', 'body', 'workouts', 'workout_stream', 'connection', 'order', 'result', 'match_review',
  'appointment', 'glucose', 'heartrate', 'hrv', 'ige', 'igg', 'blood_oxygen', 'blood_pressure', 'cholesterol', 'device',
  'device_legacy', 'weight', 'fat', 'body_temperature', 'body_temperature_delta', 'meal', 'water', 'caffeine',
  'mindfulness_minutes', 'steps', 'calories_active', 'distance', 'floors_climbed', 'respiratory_rate', 'vo2_max',
  'calories_basal', 'stress_level', 'menstrual_cycle', 'sleep_cycle', 'electrocardiogram', 'electrocardiogram_voltage',
  'afib_burden', 'heart_rate_alert', 'stand_hour', 'stand_duration', 'sleep_apnea_alert', 'sleep_breathing_disturbance',
  'wheelchair_push', 'forced_expiratory_volume_1', 'forced_vital_capacity', 'peak_expiratory_flow_rate',
  'inhaler_usage', 'fall', 'uv_exposure', 'daylight_exposure', 'handwashing', 'basal_body_temperature',
  'heart_rate_recovery_one_minute', 'body_mass_index', 'lean_body_mass', 'waist_circumference', 'workout_distance',
  'workout_swimming_stroke', 'workout_duration', 'insulin_injection', 'carbohydrates', 'note', 'sleep_stream',
  'hypnogram',
] as const;

/** Data types that have source priorities. */
export const PRIORITY_RESOURCES = ['workouts', 'activity', 'sleep', 'body', 'timeseries'] as const;
export type PriorityResource = (typeof PRIORITY_RESOURCES)[number];

const FITNESS = 'https://www.googleapis.com/auth/fitness';

/** OAuth scopes that a user can be asked to grant, by provider. */
// prettier-ignore
export const SCOPES = {
  fitbit:            ['heartrate', 'oxygen_saturation', 'cardio_fitness', 'respiratory_rate', 'activity', 'location', 'nutrition', 'profile', 'settings', 'sleep', 'social', 'weight', 'temperature'],
  google_fit:        ['openid', 'email', `${FITNESS}.activity.read`, `${FITNESS}.body.read`, `${FITNESS}.sleep.read`, `${FITNESS}.blood_glucose.read`, `${FITNESS}.blood_pressure.read`, `${FITNESS}.heart_rate.read`, `${FITNESS}.nutrition.read`, `${FITNESS}.location.read`],
  oura:              ['email', 'personal', 'daily', 'heartrate', 'workout', 'tag', 'session'],
  strava:            ['activity:read_all', 'activity:write', 'profile:write', 'profile:read_all'],
  withings:          ['user.activity', 'user.metrics', 'user.sleepevents'],
  wahoo:             ['email', 'user_read', 'workouts_read', 'offline_data'],
  whoop_v2:          ['read:recovery', 'read:cycles', 'read:workout', 'read:sleep', 'read:profile', 'read:body_measurement', 'offline'],
  my_fitness_pal_v2: ['diary', 'measurements', 'private-exercises', 'subscriptions'],
} as const satisfies Partial<Record<OAuthProvider, readonly string[]>>;
export type ScopedProvider = keyof typeof SCOPES;
