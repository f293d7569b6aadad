import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { actingOf, type ScopedTenant } from '../../management/management.ts';
import type { Http } from '../../platform/http/http.ts';
import * as connections from './connections.ts';
import { listConnections } from './connection-store.ts';
import { inboundRoute } from './inbound-route.ts';
import { messageRoutes } from './message-routes.ts';
import * as schema from './schema.ts';

export const CONNECTIONS = '/v1/org/:org_id/team/:team_id/:environment/lab_connection';
const ONE = `${CONNECTIONS}/:lab_connection_id`;
const tag = 'Laboratories';

/** The lines of a team to laboratories, what came and went by them, and where laboratories post to. */
export function labConnectionRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  readRoutes(http, app, scoped);
  changeRoutes(http, app, scoped);
  endRoute(http, app, scoped);
  tokenRoute(http, app, scoped);
  messageRoutes(http, app, scoped);
  inboundRoute(http, app);
}

function readRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(CONNECTIONS, {
    schema: {
      operationId: 'listLabConnections',
      summary: 'List connections to laboratories',
      description: 'Ours, beyond the contract. Newest first.',
      tag,
      params: schema.TenantPath,
      response: { 200: schema.ConnectionList },
    },
    handler: async ({ principal, params }) => {
      const rows = await readTenant(app, await scoped(principal, params), listConnections);
      return { data: rows.map(schema.viewConnection) };
    },
  });

  http.management.get(ONE, {
    schema: {
      operationId: 'getLabConnection',
      summary: 'Read a connection to a laboratory',
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

function changeRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.post(CONNECTIONS, {
    schema: {
      operationId: 'createLabConnection',
      summary: 'Connect a laboratory',
      description:
        'Orders of the laboratory go out by it, results come in. Secrets are never answered again. ' +
        'Two connections between the same parties would be one: the second gets 409.',
      tag,
      params: schema.TenantPath,
      body: schema.CreateConnection,
      response: { 200: schema.ConnectionView },
    },
    handler: async (input) =>
      schema.viewConnection(
        await connections.createConnection(app, await actingOf(scoped, input), input.body),
      ),
  });

  http.management.patch(ONE, {
    schema: {
      operationId: 'changeLabConnection',
      summary: 'Change a connection to a laboratory',
      description: 'Listeners notice it within two seconds.',
      tag,
      params: schema.ConnectionPath,
      body: schema.ChangeConnection,
      response: { 200: schema.ConnectionView },
    },
    handler: async (input) => {
      const command = { id: input.params.lab_connection_id, changes: input.body };
      const acting = await actingOf(scoped, input);
      return schema.viewConnection(await connections.changeConnection(app, acting, command));
    },
  });
}

function endRoute(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.delete(ONE, {
    schema: {
      operationId: 'deleteLabConnection',
      summary: 'End a connection to a laboratory',
      description: 'Its messages stay; what it has received is still taken.',
      tag,
      params: schema.ConnectionPath,
      response: { 204: null },
    },
    handler: async (input) => {
      const acting = await actingOf(scoped, input);
      await connections.removeConnection(app, acting, input.params.lab_connection_id);
      return undefined;
    },
  });
}

function tokenRoute(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.post(`${ONE}/token`, {
    schema: {
      operationId: 'rotateLabConnectionToken',
      summary: 'Make the token that a laboratory posts with',
      description: 'Answered once. The token before is refused from then on.',
      tag,
      params: schema.ConnectionPath,
      response: { 200: schema.TokenView },
    },
    handler: async (input) => {
      const acting = await actingOf(scoped, input);
      return { token: await connections.rotateToken(app, acting, input.params.lab_connection_id) };
    },
  });
}
