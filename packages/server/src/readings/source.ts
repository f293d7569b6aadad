import { z } from 'zod';
import { openEnum } from '../platform/open-enum.ts';
import { Timestamp } from '../platform/timestamp.ts';

export const Day = z.iso.date();
export const NullableNumber = z.number().nullable();
export const NullableInteger = z.int().nullable();
export const NullableString = z.string().nullable();

export const TimeZoneOffset = z.int().nullable().describe('Seconds east of UTC; null if unknown.');
export const TimeZone = z.string().nullable().describe('IANA time zone name; null if unknown.');

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
export const ProviderSlug = openEnum(PROVIDERS).meta({ id: 'Providers' });

/** The kinds of device or app that a measurement can come from. */
// prettier-ignore
export const SOURCE_TYPES = [
  'unknown', 'phone', 'watch', 'app', 'multiple_sources', 'fingerprick', 'cuff', 'manual_scan', 'automatic',
  'insulin_pump', 'scale', 'chest_strap', 'ring', 'lab', 'exercise_machine', 'earphone',
] as const;
export const SourceType = openEnum(SOURCE_TYPES);

/** Where data came from. */
export const Source = z
  .object({
    provider: z.string().describe('The slug of the provider.'),
    type: z.string().describe('The kind of device or app; `unknown` if the provider does not state it.'),
    app_id: NullableString,
    device_id: z.guid().nullable(),
    sport: NullableString.describe('The sport, for measurements taken during a workout.'),
    workout_id: z.guid().nullable(),
    name: z.string().meta({ deprecated: true }),
    slug: z.string().meta({ deprecated: true }),
    logo: z.string().meta({ deprecated: true }),
  })
  .meta({ id: 'ClientFacingSource' });
export type Source = z.output<typeof Source>;

/** The fields of every summary: owner, source, and when it was stored and updated. */
export const commonSummaryFields = {
  id: z.guid(),
  user_id: z.guid(),
  source: Source,
  created_at: Timestamp,
  updated_at: Timestamp,
};

/** The source flattened into the summary: some summaries have both forms. */
export const flatSourceFields = {
  source_provider: ProviderSlug,
  source_type: SourceType,
  source_app_id: NullableString,
  source_device_id: z.guid().nullable(),
};
