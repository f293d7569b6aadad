import { z } from 'zod';
import { TeamBinding } from '../management/management.ts';
import { Email } from '../people/schema.ts';
import { ENVIRONMENTS } from '../platform/tenant.ts';
import type { ConfigurationRow } from './configuration-store.ts';
import type { MemberRow } from './member-store.ts';

const TEAMS_MAX = 1000;
const ORIGINS_MAX = 50;

export const OrgId = z.object({ org_id: z.guid() });
export const MemberId = OrgId.extend({ member_id: z.guid() });

const ModalityName = z.enum(['feature_embed', 'link_out']);
const NO_CONTROLS = /^\P{Cc}*$/u;

/** An id that the record system gave: any text. */
const ForeignId = z.string().min(1).max(256).regex(NO_CONTROLS, 'expected no control characters');
const PersonLabel = z.string().trim().min(1).max(200).regex(NO_CONTROLS, 'expected no control characters');
const Avatar = z.url({ protocol: /^https?$/ }).max(2083);
const Bindings = z.array(TeamBinding).max(TEAMS_MAX);

/** The ids of the teams; null is nobody's team in particular, undefined nothing said. */
export const teamIdsOf = (bindings: z.output<typeof Bindings> | null | undefined) =>
  bindings && bindings.map(({ team_id: id }) => id);

export const CreateMember = z
  .object({
    integration_member_id: ForeignId,
    name: PersonLabel,
    email: Email,
    avatar: Avatar.nullish(),
    team_role_bindings: Bindings.nullish(),
  })
  .meta({ id: 'CreateIntegrationManagedMemberBody' });

export const ChangeMember = z
  .object({
    name: PersonLabel.nullish(),
    email: Email.nullish(),
    avatar: Avatar.nullish().describe('null takes it away.'),
    team_role_bindings: Bindings.nullish().describe('null takes every binding away.'),
  })
  .meta({ id: 'UpdateIntegrationManagedMemberBody' });

export const ResolveMember = z
  .object({ integration_member_id: ForeignId })
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

export const MemberTaken = z
  .object({ member_id: z.uuid() })
  .meta({ id: 'IntegrationMemberIDConflictResponse' });

export const viewMember = (row: MemberRow): z.input<typeof MemberView> => ({
  id: row.id,
  integration_member_id: row.integration_member_id,
  name: row.name,
  email: row.email,
  avatar: row.avatar,
  team_role_bindings: row.team_ids && row.team_ids.map((id) => ({ team_id: id })),
});

/** As browsers write an origin: a scheme, a host, a port that is not the usual one. */
const Origin = z
  .string()
  .max(300)
  .refine(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text,
    'expected an origin, as https://records.example.com',
  )
  .refine(
    (text) => text.startsWith('https:') || /^http:\/\/(localhost|127\.0\.0\.1)(:\d+)?$/.test(text),
    'expected https; http for this machine alone',
  );

const AllowedOriginConfig = z
  .object({
    origin: Origin,
    session_continuation_url: z
      .url({ protocol: /^https?$/ })
      .max(2083)
      .nullable()
      .default(null),
  })
  .meta({ id: 'AllowedOriginConfig' });

const isDistinct = (texts: readonly string[]) => new Set(texts).size === texts.length;

export const UpsertConfiguration = z
  .object({
    slug: z
      .string()
      .min(3)
      .max(63)
      .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'expected lower-case letters, digits and single dashes'),
    modalities: z.array(ModalityName).refine(isDistinct, 'expected each modality once'),
    origin_configs: z
      .array(AllowedOriginConfig)
      .max(ORIGINS_MAX)
      .refine((given) => isDistinct(given.map(({ origin }) => origin)), 'expected each origin once'),
  })
  .meta({ id: 'UpsertEhrIntegrationConfigBody' });
export type UpsertConfiguration = z.output<typeof UpsertConfiguration>;

export const ConfigurationView = z
  .object({
    slug: z.string(),
    modalities: z.array(ModalityName),
    origin_configs: z.array(AllowedOriginConfig),
  })
  .meta({ id: 'EhrIntegrationConfig' });

export const viewConfiguration = (row: ConfigurationRow): z.input<typeof ConfigurationView> => ({
  slug: row.slug,
  modalities: row.modalities,
  origin_configs: row.origin_configs,
});

export const CreateDashboardUrl = z
  .object({
    member_id: z.guid().nullish(),
    integration_member_id: ForeignId.nullish(),
    team_id: z.guid().nullish(),
    integration_team_id: ForeignId.nullish(),
    feature: z.string().min(1).max(100).regex(NO_CONTROLS, 'expected no control characters'),
    modality: ModalityName,
    environment: z.enum(ENVIRONMENTS),
  })
  .meta({ id: 'CreateDashboardURLBody' });
export type CreateDashboardUrl = z.output<typeof CreateDashboardUrl>;

export const DashboardUrl = z
  .object({ url: z.string(), expires_in: z.int().describe('Seconds.') })
  .meta({ id: 'CreateDashboardURLResponse' });

export const ReadSession = z.object({ session: z.string().min(1).max(4000) });
export const SessionView = z
  .object({
    member: MemberView,
    team_id: z.uuid().nullable(),
    environment: z.enum(ENVIRONMENTS),
    feature: z.string(),
    modality: ModalityName,
  })
  .meta({ id: 'DashboardSession' });
