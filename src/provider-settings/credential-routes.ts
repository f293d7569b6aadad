import type { App } from '../app.ts';
import {
  authorOf,
  listedTeams,
  pageOf,
  readCursor,
  requireOrganization,
  requireRegion,
  scopedTeam,
} from '../management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import {
  CredentialList,
  CredentialQuery,
  CredentialView,
  DeleteCredentials,
  DeletedCredentials,
  Place,
  Preparation,
  PrepareCredential,
  UpsertCredential,
  viewCredential,
} from './credential-schema.ts';
import { listCredentials } from './credential-store.ts';
import { credentialOf } from './credentials.ts';
import { deleteCredentials, prepareCredentials, setCredentials } from './set-credentials.ts';

const tag = 'Provider settings';
const CREDENTIALS = '/v1/org/:org_id/team_custom_credentials/:env/:region';
const PAGE_SIZE = 100;

/** The own accounts of teams with providers. A Team Management Key sees and changes those of its teams. */
export function credentialRoutes(http: Http, app: App): void {
  list(http, app);
  prepare(http, app);
  set(http, app);
  remove(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(CREDENTIALS, {
    schema: {
      operationId: 'listCustomCredentials',
      summary: 'List the own credentials of teams, without their secrets',
      tag,
      params: Place,
      query: CredentialQuery,
      response: { 200: CredentialList },
    },
    handler: async ({ principal, params, query }) => {
      const { org_id } = params;
      const teamIds = await listedTeams(app, principal, { org_id, ids: query.team_id });
      requireRegion(app, params.region);
      const page = {
        orgId: principal.orgId,
        environment: params.env,
        teamIds,
        source: query.provider ?? undefined,
        after: readCursor(query.next_cursor),
        limit: PAGE_SIZE + 1,
      };
      const rows = await asSystem(app.db, (tx) => listCredentials(tx, page));
      const { items, next_cursor } = pageOf(rows, PAGE_SIZE);
      const credentials = await Promise.all(
        items.map(async (row) => {
          const cipher = await app.keyring.of({ teamId: row.team_id, environment: params.env });
          return viewCredential(credentialOf(cipher, row));
        }),
      );
      return { credentials, next_cursor };
    },
  });
}

function prepare(http: Http, app: App): void {
  http.management.post('/v1/org/:org_id/prepare_team_custom_credentials/:env/:region', {
    schema: {
      operationId: 'prepareCustomCredentials',
      summary: 'Learn what has to be entered at a provider before its credentials are set',
      tag,
      params: Place,
      body: PrepareCredential,
      response: { 200: Preparation },
    },
    handler: async ({ principal, params, body }) => {
      const team = await scopedTeam(app, principal, { org_id: params.org_id, team_id: body.team_id });
      requireRegion(app, params.region);
      return prepareCredentials(app, { teamId: team.id, environment: params.env }, body.provider);
    },
  });
}

function set(http: Http, app: App): void {
  http.management.post(CREDENTIALS, {
    schema: {
      operationId: 'setCustomCredentials',
      summary: "Set a team's own credentials for a provider, laboratory or courier",
      description:
        'They are kept encrypted with the key of the team, and secrets are never answered again. What is left out ' +
        'stays as it was set before.',
      tag,
      params: Place,
      body: UpsertCredential,
      response: { 200: CredentialView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await scopedTeam(app, principal, { org_id: params.org_id, team_id: body.team_id });
      requireRegion(app, params.region);
      const tenant = { teamId: team.id, environment: params.env };
      const acting = { orgId: principal.orgId, tenant, by: authorOf({ principal, from }) };
      return viewCredential(await setCredentials(app, acting, body));
    },
  });
}

function remove(http: Http, app: App): void {
  http.management.delete(CREDENTIALS, {
    schema: {
      operationId: 'deleteCustomCredentials',
      summary: 'Take credentials of teams away',
      tag,
      params: Place,
      query: DeleteCredentials,
      response: { 200: DeletedCredentials },
    },
    handler: async ({ principal, from, params, query }) => {
      requireOrganization(principal, params.org_id);
      requireRegion(app, params.region);
      const success = await deleteCredentials(app, {
        orgId: principal.orgId,
        environment: params.env,
        teamIds: principal.teamIds && [...principal.teamIds],
        ids: query.credential_id,
        by: authorOf({ principal, from }),
      });
      const not_found = query.credential_id.filter((id) => !success.includes(id.toLowerCase()));
      return { success, failure: [], not_found };
    },
  });
}
