import type { ResourceName } from './resources.ts';
import { PROVIDERS } from './source.ts';

type KnownProviderSlug = (typeof PROVIDERS)[number];
/** How a user connects a provider. */
export const AUTH_TYPES = ['oauth', 'team_oauth', 'sdk', 'password', 'email', 'app', ''] as const;
type AuthType = (typeof AUTH_TYPES)[number];
/** What kind of thing is connected. */
export const LINKED_TYPES = ['app', 'ble', 'device', 'lab', 'provider'] as const;
type LinkedType = (typeof LINKED_TYPES)[number];

interface ProviderProfile {
  readonly name: string;
  readonly auth: AuthType;
  readonly linked: LinkedType;
  readonly description: string;
  readonly resources: readonly ResourceName[];
}

// prettier-ignore
const ACTIVITY = ['activity', 'steps', 'distance', 'calories_active', 'calories_basal', 'floors_climbed'] as const;
const WORKOUTS = ['workouts', 'workout_stream'] as const;
const SLEEP = ['sleep', 'sleep_cycle'] as const;
const HEART = ['heartrate', 'hrv', 'respiratory_rate', 'blood_oxygen'] as const;
const BODY = ['body', 'weight', 'fat'] as const;
const GLUCOSE = ['glucose'] as const;
const BLOOD_PRESSURE = ['blood_pressure', 'heartrate'] as const;
const NUTRITION = ['meal', 'water', 'caffeine', 'carbohydrates'] as const;
// prettier-ignore
const PHONE = [
  'profile', ...ACTIVITY, ...WORKOUTS, ...SLEEP, ...HEART, ...BODY, ...GLUCOSE, ...NUTRITION, 'blood_pressure', 'body_temperature',
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

const providerFamily =
  (auth: AuthType, linked: LinkedType) =>
  (name: string, description: string, resources: ProviderProfile['resources']): ProviderProfile => ({
    name,
    auth,
    linked,
    description,
    resources,
  });
const oauth = providerFamily('oauth', 'provider');
const password = providerFamily('password', 'provider');
const email = providerFamily('email', 'provider');
const sdk = providerFamily('sdk', 'app');
const ble = providerFamily('sdk', 'ble');

/** One row for each provider of the interface. */
// prettier-ignore
const PROFILES: { readonly [S in KnownProviderSlug]: ProviderProfile } = {
  oura:                oauth('Oura', 'Smart ring for sleep, recovery and activity', ['profile', ...ACTIVITY, 'workouts', ...SLEEP, 'heartrate', 'hrv', 'blood_oxygen', 'body_temperature_delta', 'stress_level']),
  fitbit:              oauth('Fitbit', 'Activity trackers, watches and scales', ['profile', ...ACTIVITY, ...WORKOUTS, ...SLEEP, ...HEART, ...BODY, 'vo2_max', 'body_temperature_delta', 'meal', 'water']),
  garmin:              oauth('Garmin', 'Sports watches and bicycle computers', ['profile', ...ACTIVITY, ...WORKOUTS, ...SLEEP, ...HEART, ...BODY, 'stress_level', 'vo2_max', 'blood_pressure', 'menstrual_cycle']),
  whoop:               password('WHOOP (old)', 'Strap for recovery, strain and sleep, by password', ['profile', 'activity', 'workouts', ...SLEEP, 'heartrate', 'hrv']),
  strava:              oauth('Strava', 'Runs, rides and other workouts', ['profile', ...WORKOUTS, 'activity']),
  renpho:              password('Renpho', 'Smart scales', BODY),
  peloton:             password('Peloton', 'Exercise bikes, treadmills and classes', ['profile', ...WORKOUTS]),
  wahoo:               oauth('Wahoo', 'Bicycle computers and trainers', ['profile', ...WORKOUTS]),
  zwift:               password('Zwift', 'Indoor cycling and running', ['profile', ...WORKOUTS]),
  freestyle_libre:     email('FreeStyle Libre', 'Continuous glucose sensor, shared with a practice', GLUCOSE),
  abbott_libreview:    password('LibreView', 'Account of the FreeStyle Libre sensors', [...GLUCOSE, 'insulin_injection', 'carbohydrates', 'note']),
  tandem_source:       password('Tandem Source', 'Insulin pumps', [...GLUCOSE, 'insulin_injection', 'carbohydrates']),
  freestyle_libre_ble: ble('FreeStyle Libre (by phone)', 'Continuous glucose sensor, read by the phone', GLUCOSE),
  eight_sleep:         password('Eight Sleep', 'Smart mattress', [...SLEEP, 'heartrate', 'hrv', 'respiratory_rate']),
  withings:            oauth('Withings', 'Scales, watches, blood pressure and sleep', [...ACTIVITY, ...WORKOUTS, ...SLEEP, ...HEART, ...BODY, 'blood_pressure', 'body_temperature']),
  apple_health_kit:    sdk('Apple HealthKit', 'Health data on the iPhone', HEALTH_KIT),
  manual:              { name: 'Manual', auth: '', linked: 'app', description: 'Data that a team pushes or uploads itself', resources: HEALTH_KIT },
  ihealth:             oauth('iHealth', 'Blood pressure, glucose and scales', [...ACTIVITY, ...BLOOD_PRESSURE, ...GLUCOSE, ...BODY, 'sleep', 'blood_oxygen']),
  google_fit:          oauth('Google Fit', 'Activity of Android phones', [...ACTIVITY, ...WORKOUTS, 'sleep', 'heartrate', ...BODY]),
  beurer_api:          password('Beurer', 'Scales, blood pressure and glucose', [...BODY, ...BLOOD_PRESSURE, ...GLUCOSE, 'sleep']),
  beurer_ble:          ble('Beurer (by phone)', 'Blood pressure, read by the phone', BLOOD_PRESSURE),
  omron:               oauth('Omron', 'Blood pressure monitors and scales', [...BLOOD_PRESSURE, ...BODY, 'activity', 'steps']),
  omron_ble:           ble('Omron (by phone)', 'Blood pressure, read by the phone', BLOOD_PRESSURE),
  onetouch_ble:        ble('OneTouch', 'Glucose meter, read by the phone', GLUCOSE),
  accuchek_ble:        ble('Accu-Chek', 'Glucose meter, read by the phone', GLUCOSE),
  contour_ble:         ble('Contour', 'Glucose meter, read by the phone', GLUCOSE),
  dexcom:              password('Dexcom (by password)', 'Continuous glucose sensor, shared readings', GLUCOSE),
  dexcom_v3:           oauth('Dexcom', 'Continuous glucose sensor', [...GLUCOSE, 'insulin_injection', 'carbohydrates', 'note']),
  hammerhead:          password('Hammerhead', 'Bicycle computers', WORKOUTS),
  my_fitness_pal:      password('MyFitnessPal (by password)', 'Food diary', NUTRITION),
  health_connect:      sdk('Health Connect', 'Health data on Android phones', PHONE),
  samsung_health:      sdk('Samsung Health', 'Health data of Samsung phones and watches', PHONE),
  polar:               oauth('Polar', 'Sports watches and heart rate sensors', ['profile', ...ACTIVITY, ...WORKOUTS, ...SLEEP, 'heartrate', 'hrv', 'respiratory_rate']),
  cronometer:          oauth('Cronometer', 'Food diary', NUTRITION),
  kardia:              password('Kardia', 'Electrocardiograms at home', ['electrocardiogram', 'electrocardiogram_voltage', 'heartrate', 'blood_pressure']),
  whoop_v2:            oauth('WHOOP', 'Strap for recovery, strain and sleep', ['profile', 'activity', 'calories_active', ...SLEEP, 'workouts', 'body', 'weight', 'heartrate', 'hrv', 'respiratory_rate', 'blood_oxygen', 'body_temperature']),
  ultrahuman:          oauth('Ultrahuman', 'Smart ring and glucose sensor', [...ACTIVITY, ...SLEEP, ...HEART, ...GLUCOSE, 'body_temperature']),
  my_fitness_pal_v2:   oauth('MyFitnessPal', 'Food diary', [...NUTRITION, ...BODY, 'workouts']),
  map_my_fitness:      oauth('MapMyFitness', 'Runs, rides and other workouts', [...WORKOUTS, 'activity']),
  runkeeper:           oauth('Runkeeper', 'Runs and other workouts', [...WORKOUTS, 'activity']),
  google_health:       oauth('Google Health', 'Health data of a Google account', PHONE),
};

export interface KnownProvider extends ProviderProfile {
  readonly slug: string;
  readonly logo: string;
  /** Stable numeric id: new providers are appended to PROVIDERS. */
  readonly id: number;
}

/** All providers, in the order of the interface. */
export const KNOWN_PROVIDERS: readonly KnownProvider[] = PROVIDERS.map((slug, index) => ({
  ...PROFILES[slug],
  slug,
  logo: createLogoUrl(PROFILES[slug].name),
  id: index + 1,
}));

const BY_SLUG = new Map(KNOWN_PROVIDERS.map((provider) => [provider.slug, provider]));

export const findProvider = (slug: string): KnownProvider | undefined => BY_SLUG.get(slug);

/** A provider as shown in events and responses. An unknown provider is named by its slug. */
export function describeProvider(slug: string): { name: string; slug: string; logo: string } {
  const known = BY_SLUG.get(slug);
  return known
    ? { name: known.name, slug, logo: known.logo }
    : { name: slug, slug, logo: createLogoUrl(slug) };
}

/**
 * The first letter of the name as an SVG in a `data:` URL. The makers' logos are not ours to serve, and a page shown on
 * a user's phone must not send a request to a third party.
 */
function createLogoUrl(name: string): string {
  const letter = /[a-z0-9]/i.exec(name)?.[0]?.toUpperCase() ?? '?';
  return (
    `data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 8 8'%3E` +
    `%3Ctext x='4' y='6.5' font-size='7' text-anchor='middle'%3E${letter}%3C/text%3E%3C/svg%3E`
  ).replaceAll(' ', '%20');
}
