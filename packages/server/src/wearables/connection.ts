import { z } from 'zod';
import { openEnum } from '../platform/open-enum.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { NullableString } from '../readings/schema.ts';

export const Provider = z
  .object({ name: z.string(), slug: z.string(), logo: z.string().describe('A URL.') })
  .meta({ id: 'ClientFacingProvider' });

const Scopes = z
  .object({ required: z.array(z.string()), optional: z.array(z.string()) })
  .meta({ id: 'ScopeRequirements_str_' });

/** Whether a provider can supply a resource, and which of the required scopes the user granted. */
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
    source: Provider.describe('Same as `provider`.').meta({ deprecated: true }),
    external_user_id: NullableString.describe('The id of the user at the provider.'),
    resource_availability: z.record(z.string(), ResourceAvailability).describe('Availability by resource.'),
  })
  .meta({ id: 'ProviderConnectionCreated' });

// prettier-ignore
export const CONNECTION_ERROR_TYPES = [
  'token_refresh_failed', 'webhook_registration_failed', 'user_not_found', 'deregistered_per_provider',
  'required_scopes_not_granted', 'provider_credential_error', 'provider_password_expired', 'unknown',
] as const;

export const ConnectionError = z
  .object({
    user_id: z.guid(),
    provider: z.string().describe('The slug of the provider.'),
    error_type: openEnum(CONNECTION_ERROR_TYPES),
    message: z.string(),
    error_details: z.string(),
  })
  .meta({ id: 'ProviderConnectionError' });

/** The history of one resource is complete: pulled for a new connection, or imported from a file. */
export const HistoricalPullCompleted = z
  .object({
    user_id: z.guid(),
    provider: z.string().describe('The slug of the provider.'),
    start_date: Timestamp,
    end_date: Timestamp,
    is_final: z.literal(true),
  })
  .meta({ id: 'HistoricalPullCompleted' });
