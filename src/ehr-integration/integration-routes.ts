import type { App } from '../app.ts';
import { authorOf, requireOrgKey } from '../management/management.ts';
import type { Http } from '../platform/http/http.ts';
import { getConfiguration, setConfiguration } from './configuration.ts';
import { dashboardUrl, readSession } from './dashboard.ts';
import {
  ConfigurationView,
  CreateDashboardUrl,
  DashboardUrl,
  OrgId,
  ReadSession,
  SessionView,
  UpsertConfiguration,
  viewConfiguration,
  viewMember,
} from './schema.ts';

const tag = 'EHR integration';
const INTEGRATION = '/v1/org/:org_id/ehr_integration';

/** How the record system shows the service within itself; for Org Management Keys only. */
export function integrationRoutes(http: Http, app: App): void {
  configurationRoutes(http, app);
  dashboardRoutes(http, app);
}

function configurationRoutes(http: Http, app: App): void {
  http.management.get(`${INTEGRATION}/configuration`, {
    schema: {
      operationId: 'getEhrConfiguration',
      summary: 'Read the configuration of the EHR integration',
      tag,
      params: OrgId,
      response: { 200: ConfigurationView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return viewConfiguration(await getConfiguration(app, principal.orgId));
    },
  });

  http.management.put(`${INTEGRATION}/configuration`, {
    schema: {
      operationId: 'setEhrConfiguration',
      summary: 'Set the configuration of the EHR integration',
      description: 'The whole of it. 409 where another organization has the slug.',
      tag,
      params: OrgId,
      body: UpsertConfiguration,
      response: { 200: ConfigurationView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const acting = { orgId: principal.orgId, by: authorOf({ principal, from }) };
      return viewConfiguration(await setConfiguration(app, acting, body));
    },
  });
}

function dashboardRoutes(http: Http, app: App): void {
  http.management.post(`${INTEGRATION}/create_dashboard_url`, {
    schema: {
      operationId: 'createDashboardUrl',
      summary: 'Make an address that opens the dashboard for one person',
      description:
        'It leads to DASHBOARD_URL of the deployment with a signed session that is good for 5 minutes; 400 where there ' +
        'is no dashboard. Exactly one of member_id and integration_member_id, at most one of team_id and ' +
        'integration_team_id.',
      tag,
      params: OrgId,
      body: CreateDashboardUrl,
      response: { 200: DashboardUrl },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      return dashboardUrl(app, { ...body, orgId: principal.orgId, by: authorOf({ principal, from }) });
    },
  });

  http.management.post(`${INTEGRATION}/read_dashboard_session`, {
    schema: {
      operationId: 'readDashboardSession',
      summary: 'Learn for whom a session of the dashboard stands',
      description: 'Ours. For the server of the dashboard: it is given the session by the address.',
      tag,
      params: OrgId,
      body: ReadSession,
      response: { 200: SessionView },
    },
    handler: async ({ principal, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const { member, ...rest } = await readSession(app, principal.orgId, body.session);
      return { ...rest, member: viewMember(member) };
    },
  });
}
