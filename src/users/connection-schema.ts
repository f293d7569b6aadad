import { z } from 'zod';

/** The slugs of the wearable providers that the interface names. */
// prettier-ignore
export const ProviderSlug = z
  .enum([
    'oura', 'fitbit', 'garmin', 'whoop', 'strava', 'renpho', 'peloton', 'wahoo', 'zwift', 'freestyle_libre',
    'abbott_libreview', 'tandem_source', 'freestyle_libre_ble', 'eight_sleep', 'withings', 'apple_health_kit',
    'manual', 'ihealth', 'google_fit', 'beurer_api', 'beurer_ble', 'omron', 'omron_ble', 'onetouch_ble',
    'accuchek_ble', 'contour_ble', 'dexcom', 'dexcom_v3', 'hammerhead', 'my_fitness_pal', 'health_connect',
    'samsung_health', 'polar', 'cronometer', 'kardia', 'whoop_v2', 'ultrahuman', 'my_fitness_pal_v2',
    'map_my_fitness', 'runkeeper', 'google_health',
  ])
  .meta({ id: 'Providers' });

// prettier-ignore
const CONNECTION_FAULTS = [
  'token_refresh_failed', 'webhook_registration_failed', 'user_not_found', 'deregistered_per_provider',
  'required_scopes_not_granted', 'provider_credential_error', 'provider_password_expired', 'unknown',
] as const;

const ConnectionFault = z
  .object({
    error_type: z.enum(CONNECTION_FAULTS),
    error_message: z.string(),
    errored_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'ClientFacingConnectionErrorDetails' });

const Grants = z
  .object({ required: z.array(z.string()), optional: z.array(z.string()) })
  .meta({ id: 'ScopeRequirements_str_' });

const ResourceAvailability = z
  .object({
    status: z.enum(['available', 'unavailable']).meta({ id: 'Availability' }),
    scope_requirements: z
      .object({ user_granted: Grants, user_denied: Grants })
      .meta({ id: 'ScopeRequirementsGrants' })
      .nullish(),
  })
  .meta({ id: 'ResourceAvailability' });

export const ConnectedProvider = z
  .object({
    name: z.string(),
    slug: z.string(),
    logo: z.string(),
    created_on: z.iso.datetime({ offset: true }),
    status: z.string(),
    external_user_id: z.string().nullish(),
    error_details: ConnectionFault.nullish(),
    resource_availability: z.record(z.string(), ResourceAvailability),
  })
  .meta({ id: 'ClientFacingProviderWithStatus' });

export const ConnectedProviders = z.object({ providers: z.array(ConnectedProvider) });

export const Refreshed = z
  .object({
    success: z.literal(true),
    user_id: z.uuid(),
    refreshed_sources: z.array(z.string()),
    in_progress_sources: z.array(z.string()),
    failed_sources: z.array(z.string()),
  })
  .meta({ id: 'UserRefreshSuccessResponse' });

// prettier-ignore
const SourceType = z.enum([
  'unknown', 'phone', 'watch', 'app', 'multiple_sources', 'fingerprick', 'cuff', 'manual_scan', 'automatic',
  'insulin_pump', 'scale', 'chest_strap', 'ring', 'lab', 'exercise_machine', 'earphone',
]);

export const Device = z
  .object({
    id: z.uuid(),
    user_id: z.uuid(),
    provider: z.string(),
    source_type: SourceType,
    app_id: z.string().nullish(),
    device_manufacturer: z.string().nullish(),
    device_model: z.string().nullish(),
    device_version: z.string().nullish(),
    device_id: z.string().nullish(),
  })
  .meta({ id: 'ClientFacingDevice' });
