import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import { openList } from '../../platform/open-list.ts';
import { PULLED_RESOURCES } from '../../provider-settings/provider-settings.ts';
import { CONNECTION_FAULTS, ResourceAvailability } from '../connection.ts';
import { PROVIDERS } from '../source.ts';
import { AUTH_TYPES, LINKED_TYPES, providerNamed, type KnownProvider } from '../providers.ts';
import { availabilityOf } from './availability.ts';
import type { Connection } from './connection.ts';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';

const Moment = z.iso.datetime({ offset: true });

/** The slug of a provider that the interface knows. */
export const ProviderName = z.enum(PROVIDERS).meta({ id: 'Providers' });

const Fault = z
  .object({ error_type: openList(CONNECTION_FAULTS), error_message: z.string(), errored_at: Moment })
  .meta({ id: 'ClientFacingConnectionErrorDetails' });

const ConnectionView = z
  .object({
    name: z.string(),
    slug: z.string(),
    logo: z.string(),
    created_on: Moment,
    status: z.string().describe('`connected`, `error` or `paused`.'),
    external_user_id: z.string().nullish(),
    error_details: Fault.nullish().describe(
      'Why a connection is in error; or, of one that is connected, that the provider does not tell us its news: then ' +
        'it is asked once a day, and at a refresh.',
    ),
    resource_availability: z.record(z.string(), ResourceAvailability),
  })
  .meta({ id: 'ClientFacingProviderWithStatus' });
export const ConnectedProviders = z.object({ providers: z.array(ConnectionView) });

export const viewConnection = (
  one: Connection,
  body: WearableProvider | undefined,
): z.input<typeof ConnectionView> => ({
  ...providerNamed(one.provider),
  created_on: isoMoment(one.created_at),
  status: one.status,
  external_user_id: one.grant?.externalUserId ?? null,
  error_details: faultDetails(one),
  resource_availability: availabilityOf(one, body),
});

function faultDetails(one: Connection): z.input<typeof Fault> | null {
  const details = (type: string, at: Date) => ({
    error_type: type,
    error_message: one.faultMessage ?? '',
    errored_at: isoMoment(at),
  });
  if (one.fault !== null && one.errored_at) return details(one.fault, one.errored_at);
  return one.news_refused_at && details('webhook_registration_failed', one.news_refused_at);
}

const refreshed = {
  user_id: z.uuid(),
  refreshed_sources: z.array(z.string()),
  in_progress_sources: z.array(z.string()),
  failed_sources: z.array(z.string()),
};
export const Refreshed = z
  .object({ success: z.literal(true), ...refreshed })
  .meta({ id: 'UserRefreshSuccessResponse' });
export const NotRefreshed = z
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
    supported_resources: z.array(openList(PULLED_RESOURCES)),
  })
  .meta({ id: 'ClientFacingProviderDetailed' });

export const viewProvider = (known: KnownProvider): z.input<typeof ProviderView> => ({
  name: known.name,
  slug: known.slug,
  description: known.description,
  logo: known.logo,
  auth_type: known.auth,
  supported_resources: [...known.resources],
});

/** A provider on the way to be connected, with the address where the user grants access. */
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

export const viewLink = (known: KnownProvider, oauthUrl: string | null): z.input<typeof SourceLink> => ({
  id: known.id,
  name: known.name,
  slug: known.slug,
  description: known.description,
  logo: known.logo,
  oauth_url: oauthUrl,
  auth_type: known.auth,
  form_components: {},
});
