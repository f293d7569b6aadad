import { z } from 'zod';
import { isoMoment } from '../platform/clock.ts';
import { ENVIRONMENTS, REGIONS } from '../platform/tenant.ts';
import { PROVIDERS } from '../wearables/schema.ts';
import type { Credential } from './credentials.ts';
import { Details } from './details.ts';
import { APPOINTMENT_PROVIDERS, LAB_PROVIDERS, LABS, OAUTH_PROVIDERS } from './lists.ts';
import { masked } from './mask.ts';

const CREDENTIALS_MAX = 100;
const TEAMS_MAX = 100;
const Moment = z.iso.datetime({ offset: true });

export const Place = z.object({
  org_id: z.guid(),
  env: z.enum(ENVIRONMENTS),
  region: z.enum(REGIONS),
});

const unique = <T extends string>(...lists: (readonly T[])[]): [T, ...T[]] => {
  const [first, ...rest] = [...new Set(lists.flat())];
  if (first === undefined) throw new Error('An empty list has no values');
  return [first, ...rest];
};
const ListedSource = z.enum(unique<string>(OAUTH_PROVIDERS, LABS, ['freestyle_libre']));
const PreparedSource = z.enum(unique<string>(PROVIDERS, LABS));
const AnySource = z.enum(unique<string>(PROVIDERS, LABS, LAB_PROVIDERS, APPOINTMENT_PROVIDERS));

export const CredentialQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional(),
  provider: ListedSource.nullish(),
  next_cursor: z.string().max(200).nullish(),
});

export const DeleteCredentials = z.object({ credential_id: z.array(z.guid()).min(1).max(CREDENTIALS_MAX) });

export const UpsertCredential = z
  .object({
    team_id: z.guid(),
    provider: AnySource,
    client_id: z.string().trim().min(1).max(2000).nullish(),
    client_secret: z
      .string()
      .min(1)
      .max(10_000)
      .nullish()
      .describe('Never answered again. Left out or null it stays, unless the client_id is another.'),
    details: Details.nullish().describe(
      'As the provider wants them. Secrets in them are answered masked; a mask put back keeps the secret.',
    ),
    redirect_url_override: z
      .url({ protocol: /^https?$/ })
      .max(2083)
      .nullish()
      .describe('Where users come back to instead; https, or http in sandbox. null takes it away.'),
  })
  .meta({ id: 'UpsertTeamCustomCredentialsBody' });

export const CredentialView = z
  .object({
    id: z.uuid(),
    client_id: z.string().nullable(),
    client_secret_hash: z
      .string()
      .nullable()
      .describe('Changes with the secret, and tells nothing of it: a digest under a key of the team.'),
    source: AnySource,
    team_id: z.uuid(),
    created_at: Moment,
    updated_at: Moment,
    details: Details.nullable(),
    app_url: z.string().nullable(),
    redirect_url_override: z.string().nullable(),
  })
  .meta({ id: 'ClientFacingTeamProviderCredentials' });

export const CredentialList = z
  .object({ credentials: z.array(CredentialView), next_cursor: z.string().nullable() })
  .meta({ id: 'CustomCredentialsResponse' });

export const DeletedCredentials = z
  .object({ success: z.array(z.uuid()), failure: z.array(z.uuid()), not_found: z.array(z.guid()) })
  .meta({ id: 'DeleteTeamCustomCredentialsResponse' });

export const PrepareCredential = z
  .object({ team_id: z.guid(), provider: PreparedSource })
  .meta({ id: 'PrepareTeamCustomCredentialsBody' });

const Step = z
  .object({
    type: z.enum(['redirect_uri', 'webhook_uri']),
    key: z.string().nullable(),
    value: z.string(),
    description: z.string().nullable(),
  })
  .meta({ id: 'CustomCredentialPreparationStep' });

export const Preparation = z
  .object({
    status: z.enum(['no_action_needed', 'preparations_required']),
    preparation_steps: z.array(Step),
  })
  .meta({ id: 'PrepareTeamCustomCredentialsResponse' });
export type Preparation = z.input<typeof Preparation>;

/** The secret does not leave: a digest stands for it, and masks in the details. */
export const viewCredential = (one: Credential): z.input<typeof CredentialView> => ({
  id: one.id,
  client_id: one.clientId,
  client_secret_hash: one.secretHash,
  source: one.source,
  team_id: one.teamId,
  created_at: isoMoment(one.createdAt),
  updated_at: isoMoment(one.updatedAt),
  // What was taken by this shape; a mask is a text as the secret was.
  details: Details.nullable().parse(masked(one.details)),
  app_url: null,
  redirect_url_override: one.redirectUrl,
});
