import { z } from 'zod';
import { openList } from '../platform/open-list.ts';
import { Moment, Text } from './source.ts';

export const Provider = z
  .object({ name: z.string(), slug: z.string(), logo: z.string().describe('A URL.') })
  .meta({ id: 'ClientFacingProvider' });

const Scopes = z
  .object({ required: z.array(z.string()), optional: z.array(z.string()) })
  .meta({ id: 'ScopeRequirements_str_' });

/** Whether a resource can be had from a provider, and what of its scopes the user granted. */
export const ResourceAvailability = z
  .object({
    status: z.enum(['available', 'unavailable']).meta({ id: 'Availability' }),
    scope_requirements: z
      .object({ user_granted: Scopes, user_denied: Scopes })
      .meta({ id: 'ScopeRequirementsGrants' })
      .nullable(),
  })
  .meta({ id: 'ResourceAvailability' });

export const ConnectionCreated = z
  .object({
    user_id: z.guid(),
    provider: Provider,
    source: Provider.describe('The same as provider.').meta({ deprecated: true }),
    external_user_id: Text.describe('The user, as the provider calls them.'),
    resource_availability: z.record(z.string(), ResourceAvailability).describe('By resource.'),
  })
  .meta({ id: 'ProviderConnectionCreated' });

// prettier-ignore
export const CONNECTION_FAULTS = [
  'token_refresh_failed', 'webhook_registration_failed', 'user_not_found', 'deregistered_per_provider',
  'required_scopes_not_granted', 'provider_credential_error', 'provider_password_expired', 'unknown',
] as const;

export const ConnectionError = z
  .object({
    user_id: z.guid(),
    provider: z.string().describe('The slug of the provider.'),
    error_type: openList(CONNECTION_FAULTS),
    message: z.string(),
    error_details: z.string(),
  })
  .meta({ id: 'ProviderConnectionError' });

/** The history of one resource is filled in: of a new connection, or by a file. */
export const HistoricalPullCompleted = z
  .object({
    user_id: z.guid(),
    provider: z.string().describe('The slug of the provider.'),
    start_date: Moment,
    end_date: Moment,
    is_final: z.literal(true),
  })
  .meta({ id: 'HistoricalPullCompleted' });
