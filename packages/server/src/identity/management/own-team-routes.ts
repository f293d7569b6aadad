import { z } from 'zod';
import type { Config } from '../../platform/config.ts';
import { DomainError } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { Work } from '../../platform/work.ts';
import { listServicePhysicians } from './physicians.ts';
import { readTeamSettings } from './settings.ts';
import { getTeam } from './team-store.ts';

const tag = 'Team';
const TeamId = z.object({ team_id: z.guid() });

/** The shape of the contract, without the optional fields for which nothing is stored. */
const TeamConfig = z
  .object({
    libreview: z.object({ practice_id: z.record(z.string(), z.unknown()) }).meta({ id: 'LibreConfig' }),
    texts_enabled: z.boolean(),
    reject_duplicate_connection: z.boolean(),
    sdk_per_device_activity_timeseries: z.boolean(),
    partial_webhooks_enabled: z.boolean(),
    minor_ordering_enabled: z.boolean(),
  })
  .meta({ id: 'TeamConfig' });

const DelegatedFlowType = z
  .enum([
    'order_and_results_with_customer_physician_network',
    'order_with_vital_physician_network',
    'order_and_results_with_vital_physician_network',
  ])
  .meta({ id: 'DelegatedFlowType' });

const OwnTeamView = z
  .object({
    id: z.uuid(),
    org_id: z.uuid(),
    name: z.string(),
    svix_app_id: z.null(),
    client_id: z.null(),
    client_secret: z.null(),
    airtable_api_key: z.null(),
    airtable_base_id: z.null(),
    webhook_secret: z.null(),
    api_key: z.null(),
    api_keys: z.null(),
    configuration: TeamConfig,
    testkits_texts_enabled: z.boolean().meta({ deprecated: true }),
    lab_tests_patient_communication_enabled: z.boolean(),
    lab_tests_patient_sms_communication_enabled: z.boolean(),
    lab_tests_patient_email_communication_enabled: z.boolean(),
    logo_url: z.string().nullable(),
    delegated_flow: DelegatedFlowType,
    critical_result_notification_email: z.string().nullable(),
  })
  .meta({ id: 'ClientFacingTeam' });

const Physician = z
  .object({ first_name: z.string(), last_name: z.string(), npi: z.string() })
  .meta({ id: 'ClientFacingPhysician' });

/** The routes on which a team reads its own data, with a team API key. */
export function ownTeamRoutes(http: Http, { config }: { readonly config: Config }): void {
  http.get('/v2/team/:team_id', {
    schema: {
      operationId: 'getOwnTeam',
      summary: 'Get the team of the API key',
      description: 'Secrets of the team are always null.',
      tag,
      params: TeamId,
      response: { 200: OwnTeamView },
    },
    handler: async ({ work, params }) => {
      requireOwnTeam(work.tenant, params.team_id);
      return readOwnTeamView(work);
    },
  });

  http.get('/v2/team/:team_id/physicians', {
    schema: {
      operationId: 'listPhysicians',
      summary: 'List the ordering physicians of a team',
      description:
        'The physicians of this deployment. One of them orders where neither the order nor its lab account names one. A sandbox has two fictional ones if none are configured; any of them can be the `physician` of an order through a delegated lab account.',
      tag,
      params: TeamId,
      response: { 200: z.array(Physician) },
    },
    handler: async ({ tenant, params }) => {
      requireOwnTeam(tenant, params.team_id);
      return listServicePhysicians(config, tenant).map(({ first_name, last_name, npi }) => ({
        first_name,
        last_name,
        npi,
      }));
    },
  });
}

function requireOwnTeam(tenant: Tenant, teamId: string): void {
  if (tenant.teamId !== teamId.toLowerCase()) throw new DomainError('not_found', 'Team not found');
}

async function readOwnTeamView(work: Work): Promise<z.input<typeof OwnTeamView>> {
  const [team, settings] = await Promise.all([getTeam(work.tx, work.tenant.teamId), readTeamSettings(work)]);
  const sms = settings.lab_tests_patient_sms_communication_enabled;
  const email = settings.lab_tests_patient_email_communication_enabled;
  return {
    id: team.id,
    org_id: team.org_id,
    name: team.name,
    ...NEVER_RETURNED,
    configuration: {
      libreview: { practice_id: {} },
      texts_enabled: sms,
      reject_duplicate_connection: settings.reject_duplicate_connection,
      sdk_per_device_activity_timeseries: settings.sdk_per_device_activity_timeseries,
      partial_webhooks_enabled: settings.partial_webhooks_enabled,
      minor_ordering_enabled: settings.minor_ordering_enabled,
    },
    testkits_texts_enabled: sms,
    lab_tests_patient_communication_enabled: sms || email,
    lab_tests_patient_sms_communication_enabled: sms,
    lab_tests_patient_email_communication_enabled: email,
    logo_url: settings.logo_url,
    // There is no physician network: every deployment configures its own physicians.
    delegated_flow: 'order_and_results_with_customer_physician_network',
    critical_result_notification_email: settings.critical_result_notification_email,
  };
}

const NEVER_RETURNED = {
  svix_app_id: null,
  client_id: null,
  client_secret: null,
  airtable_api_key: null,
  airtable_base_id: null,
  webhook_secret: null,
  api_key: null,
  api_keys: null,
};
