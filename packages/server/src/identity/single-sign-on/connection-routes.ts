import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { respondWith } from '../../platform/http/route.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import { listConnections, type SsoConnectionRow } from '../sso-connections/sso-connections.ts';
import { changeConnection } from './change-connection.ts';
import { unlinkMember } from './unlink-member.ts';
import {
  CONNECTIONS_MAX,
  connectionUrls,
  createConnection,
  deleteConnection,
  getConnection,
} from './connections.ts';
import {
  ChangeSsoConnection,
  ConnectionPath,
  MemberPath,
  CreateSsoConnection,
  OrgPath,
  SsoConnectionList,
  SsoConnectionView,
  toConnectionView,
} from './schema.ts';

const tag = 'Accounts';
const CONNECTIONS = '/v1/org/:org_id/sso_connection';
const MEMBER_IDENTITY = '/v1/org/:org_id/member/:member_id/sso_identity';
const CONNECTION = `${CONNECTIONS}/:connection_id`;

const viewOf = (app: App, row: SsoConnectionRow) =>
  toConnectionView(row, connectionUrls(app, row.org_id, row.id));

/** The identity providers of an organization; changing them is for owners. */
export function connectionRoutes(http: Http, app: App): void {
  collection(http, app);
  one(http, app);
  change(http, app);
  unlink(http, app);
}

function collection(http: Http, app: App): void {
  http.management.get(CONNECTIONS, {
    schema: {
      operationId: 'listSsoConnections',
      summary: 'List single sign-on connections',
      description:
        'Extension. The identity providers (OpenID Connect) with which members of the organization sign in, and the ' +
        'redirect URI to be registered there.',
      tag,
      params: OrgPath,
      response: { 200: SsoConnectionList },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      const { orgId } = principal;
      const rows = await asSystem(app.db, (tx) => listConnections(tx, orgId, CONNECTIONS_MAX));
      const { redirectUri } = connectionUrls(app, orgId, '');
      return { redirect_uri: redirectUri, connections: rows.map((row) => viewOf(app, row)) };
    },
  });

  http.management.post(CONNECTIONS, {
    schema: {
      operationId: 'createSsoConnection',
      summary: 'Create a single sign-on connection',
      description:
        'Extension. Reads the discovery document of the issuer: 422 with what is wrong if it cannot be used. 422 for a ' +
        'domain that the organization has not verified, 409 for one of another connection.',
      tag,
      params: OrgPath,
      body: CreateSsoConnection,
      response: { 201: SsoConnectionView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const { client_secret: secret, default_role: role, ...columns } = body;
      const row = await createConnection(app, {
        ...columns,
        orgId: principal.orgId,
        clientSecret: secret ?? undefined,
        default_role: role ?? null,
        by: actorOf({ principal, from }),
      });
      return respondWith<{ 201: typeof SsoConnectionView }, 201>(201, viewOf(app, row));
    },
  });
}

function one(http: Http, app: App): void {
  http.management.get(CONNECTION, {
    schema: {
      operationId: 'getSsoConnection',
      summary: 'Get a single sign-on connection',
      description: 'Extension. Without its client secret.',
      tag,
      params: ConnectionPath,
      response: { 200: SsoConnectionView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return viewOf(app, await getConnection(app, { orgId: principal.orgId, id: params.connection_id }));
    },
  });
}

function change(http: Http, app: App): void {
  http.management.patch(CONNECTION, {
    schema: {
      operationId: 'changeSsoConnection',
      summary: 'Change a single sign-on connection',
      description:
        'Extension. Turning it off ends the sessions that began with it; enforcing it ends those that began otherwise. ' +
        'Enforcing needs a member who has signed in with it, and an owner with a password and a recovery code: 409.',
      tag,
      params: ConnectionPath,
      body: ChangeSsoConnection,
      response: { 200: SsoConnectionView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const row = await changeConnection(app, {
        orgId: principal.orgId,
        id: params.connection_id,
        change: body,
        sessionId: principal.member?.sessionId,
        by: actorOf({ principal, from }),
      });
      return viewOf(app, row);
    },
  });

  http.management.delete(CONNECTION, {
    schema: {
      operationId: 'deleteSsoConnection',
      summary: 'Delete a single sign-on connection',
      description:
        'Extension. Ends the sessions that began with it. Members stay, and sign in otherwise. 409 for one that is ' +
        'enforced.',
      tag,
      params: ConnectionPath,
      response: { 204: null },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      await deleteConnection(app, { orgId: principal.orgId, id: params.connection_id, by });
    },
  });
}

function unlink(http: Http, app: App): void {
  http.management.delete(MEMBER_IDENTITY, {
    schema: {
      operationId: 'removeMemberSsoIdentity',
      summary: 'Unlink a member from identity providers',
      description:
        'Extension. For a member who has a new account at the provider: the next single sign-on links the account that ' +
        'has the address of the member. Ends the sessions that began with the old one. 404 for a member without one.',
      tag,
      params: MemberPath,
      response: { 204: null },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      await unlinkMember(app, { orgId: principal.orgId, memberId: params.member_id, by });
    },
  });
}
