import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { authorizeChange, type TenantAuthorizer } from '../../identity/management/management.ts';
import type { Http } from '../../platform/http/http.ts';
import * as connections from './connections.ts';
import { listConnections, listDeletedConnections } from './connection-store.ts';
import { HealthList, readHealth } from './health.ts';
import { inboundRoute } from './inbound-route.ts';
import { messageRoutes } from './message-routes.ts';
import * as schema from './schema.ts';

const CONNECTIONS_PATH = '/v1/org/:org_id/team/:team_id/:environment/lab_connection';
const CONNECTION_PATH = `${CONNECTIONS_PATH}/:lab_connection_id`;
const tag = 'Laboratories';

/** The lab connections of a team, their messages, and the endpoint that laboratories post to. */
export function labConnectionRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  readRoutes(http, app, scoped);
  healthRoute(http, app, scoped);
  changeRoutes(http, app, scoped);
  deleteRoute(http, app, scoped);
  restoreRoute(http, app, scoped);
  tokenRoute(http, app, scoped);
  messageRoutes(http, app, scoped);
  inboundRoute(http, app);
}

function readRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(CONNECTIONS_PATH, {
    schema: {
      operationId: 'listLabConnections',
      summary: 'List lab connections',
      description: 'Extension. Newest first.',
      tag,
      params: schema.TenantPath,
      query: schema.ConnectionQuery,
      response: { 200: schema.ConnectionList },
    },
    handler: async ({ principal, params, query }) => {
      const list = query.deleted === true ? listDeletedConnections : listConnections;
      const rows = await readTenant(app, await scoped(principal, params), list);
      return { data: rows.map(schema.viewConnection) };
    },
  });

  http.management.get(CONNECTION_PATH, {
    schema: {
      operationId: 'getLabConnection',
      summary: 'Read a lab connection',
      tag,
      params: schema.ConnectionPath,
      response: { 200: schema.ConnectionView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const id = params.lab_connection_id;
      return schema.viewConnection(
        await readTenant(app, tenant, (work) => connections.getConnection(work, id)),
      );
    },
  });
}

function healthRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get('/v1/org/:org_id/team/:team_id/:environment/lab_connection_health', {
    schema: {
      operationId: 'listLabConnectionHealth',
      summary: 'List the health of lab connections',
      description:
        'Extension. Of every connection that is not deleted, newest first: its last messages, errors, what waits, and ' +
        'when its certificates end. Counts and times only, no patient data.',
      tag,
      params: schema.TenantPath,
      response: { 200: HealthList },
    },
    handler: async ({ principal, params }) => ({
      data: await readHealth(app, await scoped(principal, params)),
    }),
  });
}

function changeRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.post(CONNECTIONS_PATH, {
    schema: {
      operationId: 'createLabConnection',
      summary: 'Create a lab connection',
      description:
        'Sends orders to the laboratory and receives its results. Secrets are never returned. With inbound mllp it ' +
        'gets a `listener_port` of its own. 400 if the deployment accepts no MLLP in this environment, or has no ' +
        'port left.',
      tag,
      params: schema.TenantPath,
      body: schema.CreateLabConnection,
      response: { 200: schema.ConnectionView },
    },
    handler: async (input) =>
      schema.viewConnection(
        await connections.createConnection(app, await authorizeChange(scoped, input), input.body),
      ),
  });

  http.management.patch(CONNECTION_PATH, {
    schema: {
      operationId: 'changeLabConnection',
      summary: 'Update a lab connection',
      description: 'Omitted fields keep their values. Listeners apply the change within two seconds.',
      tag,
      params: schema.ConnectionPath,
      body: schema.ChangeLabConnection,
      response: { 200: schema.ConnectionView },
    },
    handler: async (input) => {
      const command = { id: input.params.lab_connection_id, changes: input.body };
      const acting = await authorizeChange(scoped, input);
      return schema.viewConnection(await connections.changeConnection(app, acting, command));
    },
  });
}

function deleteRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.delete(CONNECTION_PATH, {
    schema: {
      operationId: 'deleteLabConnection',
      summary: 'Delete a lab connection',
      description:
        'Its messages stay, and received messages are still processed. New messages are refused (AR) and kept for the ' +
        'operator. Its port, and its names on the shared port, go to no other connection until the operator frees ' +
        'them.',
      tag,
      params: schema.ConnectionPath,
      response: { 204: null },
    },
    handler: async (input) => {
      const acting = await authorizeChange(scoped, input);
      await connections.removeConnection(app, acting, input.params.lab_connection_id);
      return undefined;
    },
  });
}

function restoreRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.post(`${CONNECTION_PATH}/restore`, {
    schema: {
      operationId: 'restoreLabConnection',
      summary: 'Restore a deleted lab connection',
      description:
        'Enables it again, with its folder, its port and its names on the shared port. A port that the operator freed ' +
        'is replaced by another one. Certificates and tokens have to be set again. 404 for a connection that is not ' +
        'deleted.',
      tag,
      params: schema.ConnectionPath,
      response: { 200: schema.ConnectionView },
    },
    handler: async (input) => {
      const acting = await authorizeChange(scoped, input);
      return schema.viewConnection(
        await connections.restoreConnection(app, acting, input.params.lab_connection_id),
      );
    },
  });
}

function tokenRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.post(`${CONNECTION_PATH}/token`, {
    schema: {
      operationId: 'rotateLabConnectionToken',
      summary: 'Rotate the token of a lab connection',
      description:
        'Returned once. The previous token becomes invalid after `overlap_hours`, by default immediately.',
      tag,
      params: schema.ConnectionPath,
      body: schema.RotateTokenBody,
      response: { 200: schema.TokenView },
    },
    handler: async (input) => {
      const acting = await authorizeChange(scoped, input);
      const command = { id: input.params.lab_connection_id, overlapHours: input.body.overlap_hours };
      return { token: await connections.rotateToken(app, acting, command) };
    },
  });
}
