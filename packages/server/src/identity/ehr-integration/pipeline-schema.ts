import { z } from 'zod';
import { ENVIRONMENTS, REGIONS } from '../../platform/tenant.ts';
import { PageCursor } from '../../platform/http/page.ts';
import type { EhrPipelineRow } from './pipeline-store.ts';

/** Replaces secrets in responses. Sending it back keeps the stored secret. */
export const MASK = '********';
const TEAMS_MAX = 100;
const MAPPERS_MAX = 200;

export const EhrPipelineParams = z.object({
  org_id: z.guid(),
  environment: z.enum(ENVIRONMENTS),
  region: z.enum(REGIONS),
});

const EhrType = z.enum(['fhir', 'hint_health']);
const PipelineText = z.string().min(1).max(2000);
const PipelineSecret = z
  .string()
  .min(1)
  .max(10_000)
  .describe('Masked in responses; sending the mask back keeps the stored secret.');
/** URLs appear in responses and in the audit log, so they must not contain credentials. */
const hasNoCredentials = (text: string): boolean =>
  !URL.canParse(text) || `${new URL(text).username}${new URL(text).password}` === '';
const PipelineUrl = z
  .url({ protocol: /^https?$/ })
  .max(2083)
  .refine(hasNoCredentials, 'expected a URL without user name and password');

export const EhrAuthentication = z.discriminatedUnion('type', [
  z
    .object({
      type: z.literal('client_credentials').describe('OAuth 2.0 client credentials.'),
      client_id: PipelineText.describe('The client id.'),
      client_secret: PipelineSecret,
      token_url: PipelineUrl.describe('Where tokens are requested.'),
    })
    .meta({ id: 'EHRPipelineOAuth2ClientCredentials' }),
  z
    .object({
      type: z.literal('google_iam').describe('A service account of Google Cloud.'),
      service_account_email: z.email().max(254).describe('The e-mail address of the service account.'),
      audience: z.literal('https://healthcare.googleapis.com/').describe('The audience of its tokens.'),
    })
    .meta({ id: 'EHRPipelineGoogleIAM' }),
  z
    .object({ type: z.literal('api_key').describe('An API key.'), api_key: PipelineSecret })
    .meta({ id: 'EHRPipelineAPIKey' }),
]);
export type EhrAuthentication = z.output<typeof EhrAuthentication>;

export const UpsertEhrPipelines = z
  .object({
    team_ids: z
      .array(z.guid())
      .max(TEAMS_MAX)
      .nullish()
      .describe('The teams; required for an Org Management Key.'),
    ehr_type: EhrType.describe('The kind of EHR.'),
    base_url: PipelineUrl.describe('The base URL of the EHR; https, or http in sandbox.'),
    authentication: EhrAuthentication.describe('How the service authenticates at the EHR.'),
    allowed_mappers: z
      .array(z.string().min(1).max(200))
      .max(MAPPERS_MAX)
      .nullish()
      .describe('The names of the allowed mappers; stored, but not used yet.'),
  })
  .meta({ id: 'UpsertTeamEHRPipelinesBody' });
export type UpsertEhrPipelines = z.output<typeof UpsertEhrPipelines>;

export const EhrPipelineListQuery = z.object({
  team_id: z.guid().nullish(),
  next_cursor: PageCursor,
});

export const EhrPipelineDeleteQuery = z.object({
  team_id: z
    .array(z.guid())
    .max(TEAMS_MAX)
    .optional()
    .describe('The teams; required for an Org Management Key.'),
  ehr_type: EhrType,
});

export const PipelineView = z
  .object({
    team_id: z.uuid(),
    type: z.enum(['native', 'ehr_linked']),
    ehr_type: EhrType,
    base_url: z.string(),
    authentication: EhrAuthentication,
    allowed_mappers: z.array(z.string()).nullable(),
  })
  .meta({ id: 'TeamEHRPipeline' });

export const PipelineList = z
  .object({ data: z.array(PipelineView), next_token: z.string().nullable() })
  .meta({ id: 'TeamEHRPipelineResponse' });

function maskSecrets(given: EhrAuthentication): EhrAuthentication {
  if (given.type === 'client_credentials') return { ...given, client_secret: MASK };
  return given.type === 'api_key' ? { ...given, api_key: MASK } : given;
}

export const viewPipeline = (
  row: Omit<EhrPipelineRow, 'authentication'>,
  authentication: EhrAuthentication,
): z.input<typeof PipelineView> => ({
  team_id: row.team_id,
  type: row.type,
  ehr_type: row.ehr_type,
  base_url: row.base_url,
  authentication: maskSecrets(authentication),
  allowed_mappers: row.allowed_mappers,
});
