import { z } from 'zod';
import { openList } from '../platform/open-list.ts';

export const Moment = z.iso.datetime({ offset: true });
export const Day = z.iso.date();
export const Amount = z.number().nullable();
export const Count = z.int().nullable();
export const Text = z.string().nullable();

export const TimeZoneOffset = z.int().nullable().describe('Seconds east of UTC; null where it is not known.');
export const TimeZone = z
  .string()
  .nullable()
  .describe('A name of the IANA list; null where it is not known.');

/** The slugs of the providers that the interface names. */
// prettier-ignore
export const PROVIDERS = [
  'oura', 'fitbit', 'garmin', 'whoop', 'strava', 'renpho', 'peloton', 'wahoo', 'zwift', 'freestyle_libre',
  'abbott_libreview', 'tandem_source', 'freestyle_libre_ble', 'eight_sleep', 'withings', 'apple_health_kit',
  'manual', 'ihealth', 'google_fit', 'beurer_api', 'beurer_ble', 'omron', 'omron_ble', 'onetouch_ble',
  'accuchek_ble', 'contour_ble', 'dexcom', 'dexcom_v3', 'hammerhead', 'my_fitness_pal', 'health_connect',
  'samsung_health', 'polar', 'cronometer', 'kardia', 'whoop_v2', 'ultrahuman', 'my_fitness_pal_v2',
  'map_my_fitness', 'runkeeper', 'google_health',
] as const;
export const ProviderSlug = openList(PROVIDERS).meta({ id: 'Providers' });

/** The kinds of device or app that a measurement may come from. */
// prettier-ignore
export const SOURCE_TYPES = [
  'unknown', 'phone', 'watch', 'app', 'multiple_sources', 'fingerprick', 'cuff', 'manual_scan', 'automatic',
  'insulin_pump', 'scale', 'chest_strap', 'ring', 'lab', 'exercise_machine', 'earphone',
] as const;
export const SourceType = openList(SOURCE_TYPES);

/** Where data came from. */
export const Source = z
  .object({
    provider: z.string().describe('The slug of the provider.'),
    type: z.string().describe('The kind of device or app, `unknown` where the provider does not say.'),
    app_id: Text,
    device_id: z.guid().nullable(),
    sport: Text.describe('Of what was measured in a workout.'),
    workout_id: z.guid().nullable(),
    name: z.string().meta({ deprecated: true }),
    slug: z.string().meta({ deprecated: true }),
    logo: z.string().meta({ deprecated: true }),
  })
  .meta({ id: 'ClientFacingSource' });
export type Source = z.output<typeof Source>;

/** What every summary has: whose it is, where it came from, and since when we know it. */
export const ofUser = {
  id: z.guid(),
  user_id: z.guid(),
  source: Source,
  created_at: Moment,
  updated_at: Moment,
};

/** The source once more, laid flat: some summaries have both. */
export const flatSource = {
  source_provider: ProviderSlug,
  source_type: SourceType,
  source_app_id: Text,
  source_device_id: z.guid().nullable(),
};
