import { z } from 'zod';
import { TeamBinding } from '../management/management.ts';
import { Email } from '../../people/schema.ts';
import { WebUrl } from '../../platform/link-url.ts';
import { ENVIRONMENTS } from '../../platform/tenant.ts';
import type { EhrConfigurationRow } from './configuration-store.ts';
import type { EhrMemberRow } from './member-store.ts';

const TEAMS_MAX = 1000;
const ORIGINS_MAX = 50;

export const OrgId = z.object({ org_id: z.guid() });
export const MemberId = OrgId.extend({ member_id: z.guid() });

const ModalityName = z.enum(['feature_embed', 'link_out']);
const NO_CONTROLS = /^\P{Cc}*$/u;

/** An id assigned by the EHR: any text. */
const IntegrationId = z.string().min(1).max(256).regex(NO_CONTROLS, 'expected no control characters');
const DisplayName = z.string().trim().min(1).max(200).regex(NO_CONTROLS, 'expected no control characters');
const TeamBindings = z.array(TeamBinding).max(TEAMS_MAX);

/** The ids of the teams; null for no binding, undefined for an omitted field. */
export const teamIdsOf = (bindings: z.output<typeof TeamBindings> | null | undefined) =>
  bindings && bindings.map(({ team_id: id }) => id);

export const CreateMember = z
  .object({
    integration_member_id: IntegrationId.describe('The id of the member in the EHR.'),
    name: DisplayName.describe('The display name.'),
    email: Email.describe('The e-mail address.'),
    avatar: WebUrl.nullish().describe('The https URL of a picture.'),
    team_role_bindings: TeamBindings.nullish().describe(
      'The teams that the member may access; null or omitted: every team.',
    ),
  })
  .meta({ id: 'CreateIntegrationManagedMemberBody' });

export const ChangeMember = z
  .object({
    name: DisplayName.nullish().describe('The display name; null keeps it.'),
    email: Email.nullish().describe('The e-mail address; null keeps it.'),
    avatar: WebUrl.nullish().describe('The https URL of a picture; null removes it.'),
    team_role_bindings: TeamBindings.nullish().describe(
      'The teams that the member may access; null removes the bindings and allows every team.',
    ),
  })
  .meta({ id: 'UpdateIntegrationManagedMemberBody' });

export const ResolveMember = z
  .object({ integration_member_id: IntegrationId.describe('The id of the member in the EHR.') })
  .meta({ id: 'ResolveIntegrationManagedMemberBody' });

export const MemberView = z
  .object({
    id: z.uuid(),
    integration_member_id: z.string(),
    name: z.string(),
    email: z.string(),
    avatar: z.string().nullable(),
    team_role_bindings: z.array(TeamBinding).nullable(),
  })
  .meta({ id: 'IntegrationManagedMember' });

export const MemberList = z
  .object({ data: z.array(MemberView), next_cursor: z.string().nullable() })
  .meta({ id: 'ListIntegrationManagedMembersResponse' });

export const MemberConflict = z
  .object({ member_id: z.uuid() })
  .meta({ id: 'IntegrationMemberIDConflictResponse' });

export const viewMember = (row: EhrMemberRow): z.input<typeof MemberView> => ({
  id: row.id,
  integration_member_id: row.integration_member_id,
  name: row.name,
  email: row.email,
  avatar: row.avatar,
  team_role_bindings: row.team_ids && row.team_ids.map((id) => ({ team_id: id })),
});

/** An origin as browsers serialize it: scheme, host, and a port that is not the default. */
const AllowedOriginUrl = z
  .string()
  .max(300)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text,
    'expected an origin, as https://records.example.com',
  )
  .refine(
    (text) => text.startsWith('https:') || /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(text),
    'expected https; http is allowed for localhost only',
  );

const AllowedOriginConfig = z
  .object({
    origin: AllowedOriginUrl.describe(
      'An origin that may embed the dashboard, as `https://records.example.com`.',
    ),
    session_continuation_url: WebUrl.nullable()
      .default(null)
      .describe('A URL of the EHR that continues a session; stored, but not called.'),
  })
  .meta({ id: 'AllowedOriginConfig' });

const isDistinct = (texts: readonly string[]) => new Set(texts).size === texts.length;

export const UpsertEhrConfiguration = z
  .object({
    slug: z
      .string()
      .min(3)
      .max(63)
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected lower-case letters, digits and single dashes')
      .describe('The unique name of the integration.'),
    modalities: z
      .array(ModalityName)
      .refine(isDistinct, 'expected each modality once')
      .describe('The ways to open the dashboard: embedded in the EHR, or by a link.'),
    origin_configs: z
      .array(AllowedOriginConfig)
      .max(ORIGINS_MAX)
      .refine((given) => isDistinct(given.map(({ origin }) => origin)), 'expected each origin once')
      .describe('The origins that may embed the dashboard; at most 50.'),
  })
  .meta({ id: 'UpsertEhrIntegrationConfigBody' });
export type UpsertEhrConfiguration = z.output<typeof UpsertEhrConfiguration>;

export const ConfigurationView = z
  .object({
    slug: z.string(),
    modalities: z.array(ModalityName),
    origin_configs: z.array(AllowedOriginConfig),
  })
  .meta({ id: 'EhrIntegrationConfig' });

export const viewConfiguration = (row: EhrConfigurationRow): z.input<typeof ConfigurationView> => ({
  slug: row.slug,
  modalities: row.modalities,
  origin_configs: row.origin_configs,
});

export const CreateDashboardUrl = z
  .object({
    member_id: z.guid().nullish().describe('The id of the member.'),
    integration_member_id: IntegrationId.nullish().describe('The id of the member in the EHR.'),
    team_id: z.guid().nullish().describe('The id of the team to open.'),
    integration_team_id: IntegrationId.nullish().describe('The id of the team in the EHR.'),
    feature: z
      .string()
      .min(1)
      .max(100)
      .regex(NO_CONTROLS, 'expected no control characters')
      .describe('The feature of the dashboard to open.'),
    modality: ModalityName.describe('How the dashboard is opened; the configuration must allow it.'),
    environment: z.enum(ENVIRONMENTS).describe('The environment to open.'),
  })
  .meta({ id: 'CreateDashboardURLBody' });
export type CreateDashboardUrl = z.output<typeof CreateDashboardUrl>;

export const DashboardUrl = z
  .object({ url: z.string(), expires_in: z.int().describe('The lifetime of the session in seconds.') })
  .meta({ id: 'CreateDashboardURLResponse' });

export const ReadDashboardSession = z.object({
  session: z.string().min(1).max(4000).describe('The `session` parameter of the dashboard URL.'),
});
export const DashboardSessionView = z
  .object({
    member: MemberView,
    team_id: z.uuid().nullable(),
    environment: z.enum(ENVIRONMENTS),
    feature: z.string(),
    modality: ModalityName,
  })
  .meta({ id: 'DashboardSession' });
