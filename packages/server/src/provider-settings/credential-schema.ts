import { z } from 'zod';
import { isoTimestamp } from '../platform/clock.ts';
import { WebUrl } from '../platform/link-url.ts';
import { ENVIRONMENTS, REGIONS } from '../platform/tenant.ts';
import { PageCursor } from '../platform/http/page.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { PROVIDERS } from '../readings/schema.ts';
import type { TeamCredential } from './credentials.ts';
import { ProviderDetails } from './details.ts';
import { APPOINTMENT_PROVIDERS, LAB_PROVIDERS, LABS, OAUTH_PROVIDERS } from './lists.ts';
import { maskSecrets } from './mask.ts';

const CREDENTIALS_MAX = 100;
const TEAMS_MAX = 100;

export const TeamSettingsPath = z.object({
  org_id: z.guid(),
  env: z.enum(ENVIRONMENTS),
  region: z.enum(REGIONS),
});

const unique = <T extends string>(...lists: (readonly T[])[]): [T, ...T[]] => {
  const [first, ...rest] = [...new Set(lists.flat())];
  if (first === undefined) throw new Error('Expected at least one value');
  return [first, ...rest];
};
const ListedSource = z.enum(unique<string>(OAUTH_PROVIDERS, LABS, ['freestyle_libre']));
const PreparedSource = z.enum(unique<string>(PROVIDERS, LABS));
const AnySource = z.enum(unique<string>(PROVIDERS, LABS, LAB_PROVIDERS, APPOINTMENT_PROVIDERS));

export const CredentialQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional(),
  provider: ListedSource.nullish(),
  next_cursor: PageCursor,
});

export const DeleteCredentialsQuery = z.object({
  credential_id: z.array(z.guid()).min(1).max(CREDENTIALS_MAX),
});

export const UpsertCredentialBody = z
  .object({
    team_id: z.guid().describe('The team whose credentials are set.'),
    provider: AnySource.describe('The provider, laboratory or courier.'),
    client_id: z
      .string()
      .trim()
      .min(1)
      .max(2000)
      .nullish()
      .describe('Client id of your application; omitted or null keeps it.'),
    client_secret: z
      .string()
      .min(1)
      .max(10_000)
      .nullish()
      .describe('Never returned. Omitted or null keeps it, unless the client_id changes.'),
    details: ProviderDetails.nullish().describe(
      'Provider-specific fields. Secrets are returned masked; sending a mask back keeps the secret.',
    ),
    redirect_url_override: WebUrl.nullish().describe(
      'Your own OAuth redirect URL; https, or in sandbox http of a loopback host. null removes it.',
    ),
  })
  .meta({ id: 'UpsertTeamCustomCredentialsBody' });

export const CredentialView = z
  .object({
    id: z.uuid(),
    client_id: z.string().nullable(),
    client_secret_hash: z
      .string()
      .nullable()
      .describe('A keyed digest that changes with the secret and reveals nothing about it.'),
    source: AnySource,
    team_id: z.uuid(),
    created_at: Timestamp,
    updated_at: Timestamp,
    details: ProviderDetails.nullable(),
    app_url: z.string().nullable(),
    redirect_url_override: z.string().nullable(),
  })
  .meta({ id: 'ClientFacingTeamProviderCredentials' });

export const CredentialList = z
  .object({ credentials: z.array(CredentialView), next_cursor: z.string().nullable() })
  .meta({ id: 'CustomCredentialsResponse' });

export const DeletedCredentialsView = z
  .object({ success: z.array(z.uuid()), failure: z.array(z.uuid()), not_found: z.array(z.guid()) })
  .meta({ id: 'DeleteTeamCustomCredentialsResponse' });

export const PrepareCredentialBody = z
  .object({
    team_id: z.guid().describe('The team that will set credentials.'),
    provider: PreparedSource.describe('The provider or laboratory.'),
  })
  .meta({ id: 'PrepareTeamCustomCredentialsBody' });

const PreparationStep = z
  .object({
    type: z.enum(['redirect_uri', 'webhook_uri']),
    key: z.string().nullable(),
    value: z.string(),
    description: z.string().nullable(),
  })
  .meta({ id: 'CustomCredentialPreparationStep' });

export const CredentialPreparation = z
  .object({
    status: z.enum(['no_action_needed', 'preparations_required']),
    preparation_steps: z.array(PreparationStep),
  })
  .meta({ id: 'PrepareTeamCustomCredentialsResponse' });
export type CredentialPreparation = z.input<typeof CredentialPreparation>;

/** The secret is replaced by a digest, and secrets in the details by masks. */
export const viewCredential = (one: TeamCredential): z.input<typeof CredentialView> => ({
  id: one.id,
  client_id: one.clientId,
  client_secret_hash: one.secretHash,
  source: one.source,
  team_id: one.teamId,
  created_at: isoTimestamp(one.createdAt),
  updated_at: isoTimestamp(one.updatedAt),
  // Still valid against this schema, because a mask is a string like the secret.
  details: ProviderDetails.nullable().parse(maskSecrets(one.details)),
  app_url: null,
  redirect_url_override: one.redirectUrl,
});
