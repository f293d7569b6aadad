import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { openEnum } from '../../platform/open-enum.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { PULLED_RESOURCES } from '../../provider-settings/provider-settings.ts';
import { CONNECTION_ERROR_TYPES, ResourceAvailability } from '../connection.ts';
import { PROVIDERS } from '../../readings/schema.ts';
import { AUTH_TYPES, LINKED_TYPES, describeProvider, type KnownProvider } from '../../readings/readings.ts';
import { describeAvailability } from './availability.ts';
import type { ProviderConnection } from './connection.ts';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';

/** The slug of a provider of the interface. */
export const ProviderName = z.enum(PROVIDERS).meta({ id: 'Providers' });

const ConnectionErrorDetails = z
  .object({ error_type: openEnum(CONNECTION_ERROR_TYPES), error_message: z.string(), errored_at: Timestamp })
  .meta({ id: 'ClientFacingConnectionErrorDetails' });

const ConnectionView = z
  .object({
    name: z.string(),
    slug: z.string(),
    logo: z.string(),
    created_on: Timestamp,
    status: z.string().describe('`connected`, `error` or `paused`.'),
    external_user_id: z.string().nullish(),
    error_details: ConnectionErrorDetails.nullish().describe(
      'Why the connection failed. For a connected connection: why the provider sends no notifications; ' +
        'it is then polled once a day and at a refresh.',
    ),
    resource_availability: z.record(z.string(), ResourceAvailability),
  })
  .meta({ id: 'ClientFacingProviderWithStatus' });
export const ConnectedProviders = z.object({ providers: z.array(ConnectionView) });

export const toConnectionView = (
  one: ProviderConnection,
  body: WearableProvider | undefined,
): z.input<typeof ConnectionView> => ({
  ...describeProvider(one.provider),
  created_on: isoTimestamp(one.created_at),
  status: one.status,
  external_user_id: one.grant?.externalUserId ?? null,
  error_details: toErrorDetails(one),
  resource_availability: describeAvailability(one, body),
});

function toErrorDetails(one: ProviderConnection): z.input<typeof ConnectionErrorDetails> | null {
  const details = (type: string, at: Date) => ({
    error_type: type,
    error_message: one.faultMessage ?? '',
    errored_at: isoTimestamp(at),
  });
  if (one.fault !== null && one.errored_at) return details(one.fault, one.errored_at);
  return one.news_refused_at && details('webhook_registration_failed', one.news_refused_at);
}

const refreshFields = {
  user_id: z.uuid(),
  refreshed_sources: z.array(z.string()),
  in_progress_sources: z.array(z.string()),
  failed_sources: z.array(z.string()),
};
export const RefreshResponse = z
  .object({ success: z.literal(true), ...refreshFields })
  .meta({ id: 'UserRefreshSuccessResponse' });
export const RefreshErrorResponse = z
  .object({
    success: z.literal(false),
    user_id: z.uuid(),
    error: z.string(),
    failed_sources: z.array(z.string()),
  })
  .meta({ id: 'UserRefreshErrorResponse' });

const AuthType = z.enum(AUTH_TYPES).meta({ id: 'SourceAuthType' });
const LinkedType = z.enum(LINKED_TYPES).meta({ id: 'SourceType' });

export const ProviderView = z
  .object({
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    logo: z.string().nullable(),
    auth_type: AuthType.nullable(),
    supported_resources: z.array(openEnum(PULLED_RESOURCES)),
  })
  .meta({ id: 'ClientFacingProviderDetailed' });

export const toProviderView = (known: KnownProvider): z.input<typeof ProviderView> => ({
  name: known.name,
  slug: known.slug,
  description: known.description,
  logo: known.logo,
  auth_type: known.auth,
  supported_resources: [...known.resources],
});

/** A provider that is being connected, with the URL where the user grants access. */
export const LinkedSource = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    logo: z.string(),
    group: z.string().nullable(),
    oauth_url: z.string().nullable(),
    auth_type: AuthType.nullable(),
    source_type: LinkedType.nullable(),
    is_active: z.boolean().nullable(),
    backfill_num_days: z.int().nullable(),
  })
  .meta({ id: 'Source' });

export const SourceLink = z
  .object({
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    logo: z.string(),
    oauth_url: z.string().nullable(),
    auth_type: AuthType.nullable(),
    form_components: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'SourceLink' });

export const toSourceLink = (known: KnownProvider, oauthUrl: string | null): z.input<typeof SourceLink> => ({
  id: known.id,
  name: known.name,
  slug: known.slug,
  description: known.description,
  logo: known.logo,
  oauth_url: oauthUrl,
  auth_type: known.auth,
  form_components: {},
});
