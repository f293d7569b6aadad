import { z } from 'zod';
import { Email } from '../people/schema.ts';
import { isoMoment } from '../platform/clock.ts';
import { GivenDay } from '../platform/given-moments.ts';
import { ENVIRONMENTS, REGIONS, type Environment } from '../platform/tenant.ts';
import { BrandInformation, FEATURES, TeamSettings } from './settings.ts';
import type { EnvironmentRow, TeamRow } from './team-store.ts';

export const Env = z.enum(ENVIRONMENTS).meta({ id: 'Env' });
export const RegionName = z.enum(REGIONS);
const Moment = z.iso.datetime({ offset: true });

const TEAM_TEXT = /^[A-Za-zÀ-ÖØ-öø-ÿ0-9(),/:'|&_\-\s’]{0,80}$/;
const TeamName = z.string().regex(TEAM_TEXT, "expected at most 80 letters, digits and ( ) , / : ' | & _ -");
const IntegrationTeamId = z
  .string()
  .max(256)
  .regex(/^\P{Cc}*$/u, 'expected no control characters');
/** Whatever may stand in a name or in an id. */
export const TeamSearch = IntegrationTeamId;

const settable = {
  lab_tests_patient_sms_communication_enabled: z.boolean().nullish(),
  lab_tests_patient_email_communication_enabled: z.boolean().nullish(),
  critical_result_notification_email: Email.nullish(),
  logo_url: z
    .url({ protocol: /^https?$/ })
    .min(1)
    .max(2083)
    .nullish(),
  reject_duplicate_connection: z.boolean().nullish(),
  sdk_per_device_activity_timeseries: z.boolean().nullish(),
  partial_webhooks_enabled: z.boolean().nullish(),
  minor_ordering_enabled: z.boolean().nullish(),
  lab_report_review_enabled: z.boolean().nullish(),
};

export const CreateTeam = z
  .object({
    ...settable,
    brand_information: BrandInformation.nullish(),
    id: z.uuid().nullish(),
    name: TeamName,
    region: RegionName,
    integration_team_id: IntegrationTeamId.nullish(),
  })
  .meta({ id: 'CreateOrgTeamBody' });
export type CreateTeam = z.output<typeof CreateTeam>;

const UpdateBrandInformation = z
  .object({
    company_name: z.string().max(200).nullish(),
    company_website: z.string().max(2083).nullish(),
    support_email: Email.nullish(),
    support_contact: z.string().max(200).nullish(),
    company_address: z.string().max(500).nullish(),
    brand_color: z.string().max(40).nullish(),
  })
  .meta({ id: 'UpdateBrandInformationBody' });

/** The fields for which a Team Management Key is not enough: they say what the team may do at all. */
export const OPERATOR_FIELDS = ['features', 'max_users', 'physician_grace_until'] as const;

export const UpdateTeamEnvironment = z
  .object({
    ...settable,
    brand_information: UpdateBrandInformation.nullish(),
    patient_experience: z.boolean().nullish().describe('Kept; nothing depends on it so far.'),
    critical_result_escalation_minutes: z
      .int()
      .min(1)
      .max(1440)
      .nullish()
      .describe(
        'Ours. How long a critical result may wait to be read back before it is escalated; 60 by default.',
      ),
    booking_before_requisition_enabled: z
      .boolean()
      .nullish()
      .describe('Ours. Whether a visit can be booked before the order has its requisition; off by default.'),
    features: z.array(z.enum(FEATURES)).optional().describe('Ours. Closed-beta areas that are on.'),
    max_users: z.int().min(0).nullish().describe('Ours. How many users the team may have; null is no limit.'),
    physician_grace_until: GivenDay.nullish().describe(
      'Ours. Until this day orders on delegated accounts are taken without a physician.',
    ),
  })
  .meta({ id: 'UpdateOrgTeamEnvironmentBody' });
export type UpdateTeamEnvironment = z.output<typeof UpdateTeamEnvironment>;

export const UpdateTeam = z
  .object({
    name: TeamName.nullish(),
    integration_team_id: IntegrationTeamId.nullish(),
    sandbox: UpdateTeamEnvironment.nullish(),
    production: UpdateTeamEnvironment.nullish(),
  })
  .meta({ id: 'UpdateOrgTeamBody' });

const TeamEnvironmentView = TeamSettings.extend({
  features: z.array(z.string()).describe('Ours. Closed-beta areas that are on.'),
}).meta({ id: 'ClientFacingOrgTeamEnvironment' });

const listItem = {
  id: z.uuid(),
  name: z.string(),
  created_on: Moment,
  region: RegionName,
  integration_team_id: z.string().nullable(),
};

const TeamListItem = z.object(listItem).meta({ id: 'ClientFacingOrgTeamListItem' });

export const TeamList = z
  .object({ teams: z.array(TeamListItem), next_cursor: z.string().nullable() })
  .meta({ id: 'ClientFacingOrgTeamListResponse' });

export const TeamView = z
  .object({
    ...listItem,
    environments: z.array(Env),
    sandbox: TeamEnvironmentView.nullable(),
    production: TeamEnvironmentView.nullable(),
  })
  .meta({ id: 'ClientFacingOrgTeam' });

export const ResolveTeam = z
  .object({ integration_team_id: z.string().min(1).max(256) })
  .meta({ id: 'ResolveTeamBody' });

export const TeamTaken = z.object({ team_id: z.uuid() }).meta({ id: 'IntegrationTeamIDConflictResponse' });

export const viewTeamListItem = (team: TeamRow): z.input<typeof TeamListItem> => ({
  id: team.id,
  name: team.name,
  created_on: isoMoment(team.created_at),
  region: team.region,
  integration_team_id: team.integration_team_id,
});

/** The team with the blocks of the environments that are wanted; the others are null. */
export function viewTeam(
  team: TeamRow,
  rows: readonly EnvironmentRow[],
  wanted: readonly Environment[] = ENVIRONMENTS,
): z.input<typeof TeamView> {
  const block = (environment: Environment) => {
    const row = rows.find((one) => one.environment === environment);
    if (!row || !wanted.includes(environment)) return null;
    return { ...TeamSettings.parse(row.settings), features: row.features };
  };
  return {
    ...viewTeamListItem(team),
    environments: [...ENVIRONMENTS],
    sandbox: block('sandbox'),
    production: block('production'),
  };
}
