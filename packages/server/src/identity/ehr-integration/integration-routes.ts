import type { App } from '../../app.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import type { Http } from '../../platform/http/http.ts';
import { getConfiguration, setConfiguration } from './configuration.ts';
import { createDashboardUrl, verifyDashboardSession } from './dashboard.ts';
import {
  ConfigurationView,
  CreateDashboardUrl,
  DashboardUrl,
  OrgId,
  ReadDashboardSession,
  DashboardSessionView,
  UpsertEhrConfiguration,
  viewConfiguration,
  viewMember,
} from './schema.ts';

const tag = 'EHR integration';
const INTEGRATION = '/v1/org/:org_id/ehr_integration';

/** Embedding the dashboard into an EHR; for Org Management Keys only. */
export function integrationRoutes(http: Http, app: App): void {
  configurationRoutes(http, app);
  dashboardRoutes(http, app);
}

function configurationRoutes(http: Http, app: App): void {
  http.management.get(`${INTEGRATION}/configuration`, {
    schema: {
      operationId: 'getEhrConfiguration',
      summary: 'Read the EHR integration configuration',
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
      summary: 'Set the EHR integration configuration',
      description: 'Replaces the whole configuration. 409 when another organization has the slug.',
      tag,
      params: OrgId,
      body: UpsertEhrConfiguration,
      response: { 200: ConfigurationView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const acting = { orgId: principal.orgId, by: actorOf({ principal, from }) };
      return viewConfiguration(await setConfiguration(app, acting, body));
    },
  });
}

function dashboardRoutes(http: Http, app: App): void {
  http.management.post(`${INTEGRATION}/create_dashboard_url`, {
    schema: {
      operationId: 'createDashboardUrl',
      summary: 'Create a dashboard URL for a member',
      description:
        'The URL is the DASHBOARD_URL of the deployment with a signed session that is valid for 5 minutes; 400 when ' +
        'DASHBOARD_URL is not set. Pass exactly one of member_id and integration_member_id, and at most one of ' +
        'team_id and integration_team_id.',
      tag,
      params: OrgId,
      body: CreateDashboardUrl,
      response: { 200: DashboardUrl },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      return createDashboardUrl(app, { ...body, orgId: principal.orgId, by: actorOf({ principal, from }) });
    },
  });

  http.management.post(`${INTEGRATION}/read_dashboard_session`, {
    schema: {
      operationId: 'readDashboardSession',
      summary: 'Read a dashboard session',
      description: 'Extension. For the server of the dashboard, which gets the session from the URL.',
      tag,
      params: OrgId,
      body: ReadDashboardSession,
      response: { 200: DashboardSessionView },
    },
    handler: async ({ principal, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const { member, ...rest } = await verifyDashboardSession(app, principal.orgId, body.session);
      return { ...rest, member: viewMember(member) };
    },
  });
}
