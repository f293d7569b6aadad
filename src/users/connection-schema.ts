import { z } from 'zod';
import { openList } from '../platform/open-list.ts';
import { CONNECTION_FAULTS, ResourceAvailability } from '../wearables/schema.ts';

export { Device } from '../wearables/schema.ts';

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

const ConnectionFault = z
  .object({
    error_type: openList(CONNECTION_FAULTS),
    error_message: z.string(),
    errored_at: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'ClientFacingConnectionErrorDetails' });

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
