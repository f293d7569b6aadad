import type { App } from '../app.ts';
import {
  actorOf,
  resolveListedTeams,
  requireOrganization,
  requireRegion,
  authorizeTeam,
} from '../identity/management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import { readPage } from '../platform/http/page.ts';
import {
  CredentialList,
  CredentialQuery,
  CredentialView,
  DeleteCredentialsQuery,
  DeletedCredentialsView,
  TeamSettingsPath,
  CredentialPreparation,
  PrepareCredentialBody,
  UpsertCredentialBody,
  viewCredential,
} from './credential-schema.ts';
import { listCredentials } from './credential-store.ts';
import { toCredential } from './credentials.ts';
import { deleteCredentials, prepareCredentials, setCredentials } from './set-credentials.ts';

const tag = 'Provider settings';
const CREDENTIALS = '/v1/org/:org_id/team_custom_credentials/:env/:region';

/** Custom credentials of teams for providers. A Team Management Key reads and changes those of its own teams. */
export function credentialRoutes(http: Http, app: App): void {
  listRoute(http, app);
  prepareRoute(http, app);
  setRoute(http, app);
  deleteRoute(http, app);
}

function listRoute(http: Http, app: App): void {
  http.management.get(CREDENTIALS, {
    schema: {
      operationId: 'listCustomCredentials',
      summary: 'List custom credentials of teams',
      tag,
      params: TeamSettingsPath,
      query: CredentialQuery,
      response: { 200: CredentialList },
    },
    handler: async ({ principal, params, query }) => {
      const { org_id } = params;
      const teamIds = await resolveListedTeams(app, principal, { org_id, ids: query.team_id });
      requireRegion(app, params.region);
      const filter = {
        orgId: principal.orgId,
        environment: params.env,
        teamIds,
        source: query.provider ?? undefined,
      };
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listCredentials(tx, { ...filter, ...page })),
      );
      const credentials = await Promise.all(
        items.map(async (row) => {
          const cipher = await app.keyring.cipherOf({ teamId: row.team_id, environment: params.env });
          return viewCredential(toCredential(cipher, row));
        }),
      );
      return { credentials, next_cursor };
    },
  });
}

function prepareRoute(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/prepare_team_custom_credentials/:env/:region', {
    schema: {
      operationId: 'prepareCustomCredentials',
      summary: 'Prepare team custom credentials',
      description:
        'Returns the redirect and webhook URLs to register with the provider before its credentials are set. Stores ' +
        'nothing.',
      tag,
      params: TeamSettingsPath,
      body: PrepareCredentialBody,
      response: { 200: CredentialPreparation },
    },
    handler: async ({ principal, params, body }) => {
      const team = await authorizeTeam(app, principal, { org_id: params.org_id, team_id: body.team_id });
      requireRegion(app, params.region);
      return prepareCredentials(app, { teamId: team.id, environment: params.env }, body.provider);
    },
  });
}

function setRoute(http: Http, app: App): void {
  http.management.post(CREDENTIALS, {
    schema: {
      operationId: 'setCustomCredentials',
      summary: 'Set custom credentials of a team',
      description:
        'For a provider, laboratory or courier. Credentials are stored encrypted with the key of the team, and ' +
        'secrets are never returned. Omitted fields keep their values.',
      tag,
      params: TeamSettingsPath,
      body: UpsertCredentialBody,
      response: { 200: CredentialView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await authorizeTeam(app, principal, { org_id: params.org_id, team_id: body.team_id });
      requireRegion(app, params.region);
      const tenant = { teamId: team.id, environment: params.env };
      const acting = { orgId: principal.orgId, tenant, by: actorOf({ principal, from }) };
      return viewCredential(await setCredentials(app, acting, body));
    },
  });
}

function deleteRoute(http: Http, app: App): void {
  http.management.delete(CREDENTIALS, {
    schema: {
      operationId: 'deleteCustomCredentials',
      summary: 'Delete custom credentials of teams',
      tag,
      params: TeamSettingsPath,
      query: DeleteCredentialsQuery,
      response: { 200: DeletedCredentialsView },
    },
    handler: async ({ principal, from, params, query }) => {
      requireOrganization(principal, params.org_id);
      requireRegion(app, params.region);
      const success = await deleteCredentials(app, {
        orgId: principal.orgId,
        environment: params.env,
        teamIds: principal.teamIds && [...principal.teamIds],
        ids: query.credential_id,
        by: actorOf({ principal, from }),
      });
      const not_found = query.credential_id.filter((id) => !success.includes(id.toLowerCase()));
      return { success, failure: [], not_found };
    },
  });
}
