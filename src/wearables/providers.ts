import type { ResourceName } from './resources.ts';
import { PROVIDERS } from './source.ts';

export type Slug = (typeof PROVIDERS)[number];
/** How a user connects it. */
export const AUTH_TYPES = ['oauth', 'team_oauth', 'sdk', 'password', 'email', 'app', ''] as const;
export type AuthType = (typeof AUTH_TYPES)[number];
/** What it is that is connected. */
export const LINKED_TYPES = ['app', 'ble', 'device', 'lab', 'provider'] as const;
export type LinkedType = (typeof LINKED_TYPES)[number];

interface Row {
  readonly name: string;
  readonly auth: AuthType;
  readonly linked: LinkedType;
  readonly description: string;
  readonly resources: readonly ResourceName[];
}

// prettier-ignore
const WALK = ['activity', 'steps', 'distance', 'calories_active', 'calories_basal', 'floors_climbed'] as const;
const GYM = ['workouts', 'workout_stream'] as const;
const NIGHT = ['sleep', 'sleep_cycle'] as const;
const HEART = ['heartrate', 'hrv', 'respiratory_rate', 'blood_oxygen'] as const;
const SCALE = ['body', 'weight', 'fat'] as const;
const SUGAR = ['glucose'] as const;
const CUFF = ['blood_pressure', 'heartrate'] as const;
const FOOD = ['meal', 'water', 'caffeine', 'carbohydrates'] as const;
// prettier-ignore
const PHONE = [
  'profile', ...WALK, ...GYM, ...NIGHT, ...HEART, ...SCALE, ...SUGAR, ...FOOD, 'blood_pressure', 'body_temperature',
  'menstrual_cycle', 'vo2_max', 'mindfulness_minutes',
] as const;
// prettier-ignore
const HEALTH_KIT = [
  ...PHONE, 'electrocardiogram', 'electrocardiogram_voltage', 'afib_burden', 'heart_rate_alert', 'stand_hour',
  'stand_duration', 'sleep_apnea_alert', 'sleep_breathing_disturbance', 'wheelchair_push', 'forced_expiratory_volume_1',
  'forced_vital_capacity', 'peak_expiratory_flow_rate', 'inhaler_usage', 'fall', 'uv_exposure', 'daylight_exposure',
  'handwashing', 'basal_body_temperature', 'heart_rate_recovery_one_minute', 'body_mass_index', 'lean_body_mass',
  'waist_circumference', 'workout_distance', 'workout_swimming_stroke', 'workout_duration', 'insulin_injection',
] as const;

const family =
  (auth: AuthType, linked: LinkedType) =>
  (name: string, description: string, resources: Row['resources']): Row => ({
    name,
    auth,
    linked,
    description,
    resources,
  });
const oauth = family('oauth', 'provider');
const password = family('password', 'provider');
const email = family('email', 'provider');
const sdk = family('sdk', 'app');
const ble = family('sdk', 'ble');

/** What is known of each provider that the interface names: one row each. */
// prettier-ignore
const ROWS: { readonly [S in Slug]: Row } = {
  oura:                oauth('Oura', 'Smart ring for sleep, recovery and activity', ['profile', ...WALK, 'workouts', ...NIGHT, 'heartrate', 'hrv', 'blood_oxygen', 'body_temperature_delta', 'stress_level']),
  fitbit:              oauth('Fitbit', 'Activity trackers, watches and scales', ['profile', ...WALK, ...GYM, ...NIGHT, ...HEART, ...SCALE, 'vo2_max', 'body_temperature_delta', 'meal', 'water']),
  garmin:              oauth('Garmin', 'Sports watches and bicycle computers', ['profile', ...WALK, ...GYM, ...NIGHT, ...HEART, ...SCALE, 'stress_level', 'vo2_max', 'blood_pressure', 'menstrual_cycle']),
  whoop:               password('WHOOP (old)', 'Strap for recovery, strain and sleep, by password', ['profile', 'activity', 'workouts', ...NIGHT, 'heartrate', 'hrv']),
  strava:              oauth('Strava', 'Runs, rides and other workouts', ['profile', ...GYM, 'activity']),
  renpho:              password('Renpho', 'Smart scales', SCALE),
  peloton:             password('Peloton', 'Exercise bikes, treadmills and classes', ['profile', ...GYM]),
  wahoo:               oauth('Wahoo', 'Bicycle computers and trainers', ['profile', ...GYM]),
  zwift:               password('Zwift', 'Indoor cycling and running', ['profile', ...GYM]),
  freestyle_libre:     email('FreeStyle Libre', 'Continuous glucose sensor, shared with a practice', SUGAR),
  abbott_libreview:    password('LibreView', 'Account of the FreeStyle Libre sensors', [...SUGAR, 'insulin_injection', 'carbohydrates', 'note']),
  tandem_source:       password('Tandem Source', 'Insulin pumps', [...SUGAR, 'insulin_injection', 'carbohydrates']),
  freestyle_libre_ble: ble('FreeStyle Libre (by phone)', 'Continuous glucose sensor, read by the phone', SUGAR),
  eight_sleep:         password('Eight Sleep', 'Smart mattress', [...NIGHT, 'heartrate', 'hrv', 'respiratory_rate']),
  withings:            oauth('Withings', 'Scales, watches, blood pressure and sleep', [...WALK, ...GYM, ...NIGHT, ...HEART, ...SCALE, 'blood_pressure', 'body_temperature']),
  apple_health_kit:    sdk('Apple HealthKit', 'Health data on the iPhone', HEALTH_KIT),
  manual:              { name: 'Manual', auth: '', linked: 'app', description: 'What a team brings itself', resources: HEALTH_KIT },
  ihealth:             oauth('iHealth', 'Blood pressure, glucose and scales', [...WALK, ...CUFF, ...SUGAR, ...SCALE, 'sleep', 'blood_oxygen']),
  google_fit:          oauth('Google Fit', 'Activity of Android phones', [...WALK, ...GYM, 'sleep', 'heartrate', ...SCALE]),
  beurer_api:          password('Beurer', 'Scales, blood pressure and glucose', [...SCALE, ...CUFF, ...SUGAR, 'sleep']),
  beurer_ble:          ble('Beurer (by phone)', 'Blood pressure, read by the phone', CUFF),
  omron:               oauth('Omron', 'Blood pressure monitors and scales', [...CUFF, ...SCALE, 'activity', 'steps']),
  omron_ble:           ble('Omron (by phone)', 'Blood pressure, read by the phone', CUFF),
  onetouch_ble:        ble('OneTouch', 'Glucose meter, read by the phone', SUGAR),
  accuchek_ble:        ble('Accu-Chek', 'Glucose meter, read by the phone', SUGAR),
  contour_ble:         ble('Contour', 'Glucose meter, read by the phone', SUGAR),
  dexcom:              password('Dexcom (by password)', 'Continuous glucose sensor, shared readings', SUGAR),
  dexcom_v3:           oauth('Dexcom', 'Continuous glucose sensor', [...SUGAR, 'insulin_injection', 'carbohydrates', 'note']),
  hammerhead:          password('Hammerhead', 'Bicycle computers', GYM),
  my_fitness_pal:      password('MyFitnessPal (by password)', 'Food diary', FOOD),
  health_connect:      sdk('Health Connect', 'Health data on Android phones', PHONE),
  samsung_health:      sdk('Samsung Health', 'Health data of Samsung phones and watches', PHONE),
  polar:               oauth('Polar', 'Sports watches and heart rate sensors', ['profile', ...WALK, ...GYM, ...NIGHT, 'heartrate', 'hrv', 'respiratory_rate']),
  cronometer:          oauth('Cronometer', 'Food diary', FOOD),
  kardia:              password('Kardia', 'Electrocardiograms at home', ['electrocardiogram', 'electrocardiogram_voltage', 'heartrate', 'blood_pressure']),
  whoop_v2:            oauth('WHOOP', 'Strap for recovery, strain and sleep', ['profile', 'activity', 'calories_active', ...NIGHT, 'workouts', 'body', 'weight', 'heartrate', 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature']),
  ultrahuman:          oauth('Ultrahuman', 'Smart ring and glucose sensor', [...WALK, ...NIGHT, ...HEART, ...SUGAR, 'body_temperature']),
  my_fitness_pal_v2:   oauth('MyFitnessPal', 'Food diary', [...FOOD, ...SCALE, 'workouts']),
  map_my_fitness:      oauth('MapMyFitness', 'Runs, rides and other workouts', [...GYM, 'activity']),
  runkeeper:           oauth('Runkeeper', 'Runs and other workouts', [...GYM, 'activity']),
  google_health:       oauth('Google Health', 'Health data of a Google account', PHONE),
};

export interface KnownProvider extends Row {
  readonly slug: string;
  readonly logo: string;
  /** Its number in lists, which never changes: new providers are appended to PROVIDERS. */
  readonly id: number;
}

/** All of them, in the order of the interface. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = PROVIDERS.map((slug, index) => ({
  ...ROWS[slug],
  slug,
  logo: markOf(ROWS[slug].name),
  id: index + 1,
}));

const BY_SLUG = new Map(KNOWN_PROVIDERS.map((provider) => [provider.slug, provider]));

export const findProvider = (slug: string): KnownProvider | undefined => BY_SLUG.get(slug);

/** As events and answers name a provider; one that the interface does not know is called by its slug. */
export function providerNamed(slug: string): { name: string; slug: string; logo: string } {
  const known = BY_SLUG.get(slug);
  return known ? { name: known.name, slug, logo: known.logo } : { name: slug, slug, logo: markOf(slug) };
}

/**
 * The first letter as a picture, in a `data:` URL: the marks of the makers are not ours to serve, and what is shown
 * on the phone of a user must not tell a third party that it is shown.
 */
function markOf(name: string): string {
  const letter = /[a-z0-9]/i.exec(name)?.[0]?.toUpperCase() ?? '?';
  return (
    `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E` +
    `%3Ctext x='4' y='6.5' font-size='7' text-anchor='middle'%3E${letter}%3C/text%3E%3C/svg%3E`
  ).replaceAll(' ', '%20');
}
