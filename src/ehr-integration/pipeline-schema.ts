import { z } from 'zod';
import { ENVIRONMENTS, REGIONS } from '../platform/tenant.ts';
import type { PipelineRow } from './pipeline-store.ts';

/** What stands in the place of a secret. Put back as it came, it keeps the secret. */
export const MASK = '********';
const TEAMS_MAX = 100;
const MAPPERS_MAX = 200;

export const Place = z.object({
  org_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
  region: z.enum(REGIONS),
});

const EhrType = z.enum(['fhir', 'hint_health']);
const Text = z.string().min(1).max(2000);
const Secret = z.string().min(1).max(10_000).describe('Answered masked; the mask put back keeps it.');
/** Addresses are answered and stand in the audit log as they are. */
const isWithoutAccount = (text: string): boolean =>
  !URL.canParse(text) || `${new URL(text).username}${new URL(text).password}` === '';
const Url = z
  .url({ protocol: /^https?$/ })
  .max(2083)
  .refine(isWithoutAccount, 'expected a URL without user name and password');

export const Authentication = z.discriminatedUnion('type', [
  z
    .object({ type: z.literal('client_credentials'), client_id: Text, client_secret: Secret, token_url: Url })
    .meta({ id: 'EHRPipelineOAuth2ClientCredentials' }),
  z
    .object({
      type: z.literal('google_iam'),
      service_account_email: z.email().max(254),
      audience: z.literal('https://healthcare.googleapis.com/'),
    })
    .meta({ id: 'EHRPipelineGoogleIAM' }),
  z.object({ type: z.literal('api_key'), api_key: Secret }).meta({ id: 'EHRPipelineAPIKey' }),
]);
export type Authentication = z.output<typeof Authentication>;

export const UpsertPipelines = z
  .object({
    team_ids: z.array(z.guid()).max(TEAMS_MAX).nullish().describe('Needed for an Org Management Key.'),
    ehr_type: EhrType,
    base_url: Url.describe('https, or http in sandbox.'),
    authentication: Authentication,
    allowed_mappers: z.array(z.string().min(1).max(200)).max(MAPPERS_MAX).nullish(),
  })
  .meta({ id: 'UpsertTeamEHRPipelinesBody' });
export type UpsertPipelines = z.output<typeof UpsertPipelines>;

export const ListQuery = z.object({
  team_id: z.guid().nullish(),
  next_cursor: z.string().max(200).nullish(),
});

export const DeleteQuery = z.object({
  team_id: z.array(z.guid()).max(TEAMS_MAX).optional().describe('Needed for an Org Management Key.'),
  ehr_type: EhrType,
});

export const PipelineView = z
  .object({
    team_id: z.uuid(),
    type: z.enum(['native', 'ehr_linked']),
    ehr_type: EhrType,
    base_url: z.string(),
    authentication: Authentication,
    allowed_mappers: z.array(z.string()).nullable(),
  })
  .meta({ id: 'TeamEHRPipeline' });

export const PipelineList = z
  .object({ data: z.array(PipelineView), next_token: z.string().nullable() })
  .meta({ id: 'TeamEHRPipelineResponse' });

export function masked(given: Authentication): Authentication {
  if (given.type === 'client_credentials') return { ...given, client_secret: MASK };
  return given.type === 'api_key' ? { ...given, api_key: MASK } : given;
}

export const viewPipeline = (
  row: Omit<PipelineRow, 'authentication'>,
  authentication: Authentication,
): z.input<typeof PipelineView> => ({
  team_id: row.team_id,
  type: row.type,
  ehr_type: row.ehr_type,
  base_url: row.base_url,
  authentication: masked(authentication),
  allowed_mappers: row.allowed_mappers,
});
