import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { authorizeChange, type TenantAuthorizer } from '../../identity/management/management.ts';
import type { Http } from '../../platform/http/http.ts';
import { getConnection } from './connections.ts';
import { listMessages } from './message-store.ts';
import { readMessage, retryMessage } from './messages.ts';
import * as schema from './schema.ts';

const MESSAGES_PATH = '/v1/org/:org_id/team/:team_id/:environment/lab_connection/:lab_connection_id/message';
const MESSAGE_PATH = `${MESSAGES_PATH}/:lab_message_id`;
const tag = 'Laboratories';

/** Inbound and outbound messages of a connection, including dead letters. */
export function messageRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  listRoute(http, app, scoped);
  oneRoutes(http, app, scoped);
}

function listRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(MESSAGES_PATH, {
    schema: {
      operationId: 'listLabMessages',
      summary: 'List messages of a lab connection',
      description: 'Newest first, without bodies. `status=dead` returns the dead letters.',
      tag,
      params: schema.ConnectionPath,
      query: schema.MessageQuery,
      response: { 200: schema.MessageList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const filter = {
        connectionId: params.lab_connection_id,
        status: query.status ?? undefined,
        direction: query.direction ?? undefined,
        after: query.next_cursor ?? undefined,
        limit: query.limit + 1,
      };
      const rows = await readTenant(app, tenant, async (work) => {
        await getConnection(work, params.lab_connection_id);
        return listMessages(work, filter);
      });
      const data = rows.slice(0, query.limit).map(schema.viewMessage);
      return { data, next_cursor: rows.length > query.limit ? (data.at(-1)?.id ?? null) : null };
    },
  });
}

function oneRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(MESSAGE_PATH, {
    schema: {
      operationId: 'getLabMessage',
      summary: 'Read a laboratory message with its body',
      tag,
      params: schema.MessagePath,
      response: { 200: schema.MessageWithBodyView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const name = { connectionId: params.lab_connection_id, id: params.lab_message_id };
      const { row, body } = await readTenant(app, tenant, (work) => readMessage(work, name));
      return schema.viewMessageWithBody(row, body);
    },
  });

  http.management.post(`${MESSAGE_PATH}/retry`, {
    schema: {
      operationId: 'retryLabMessage',
      summary: 'Retry a dead or refused laboratory message',
      description: 'Processes a dead message or sends a refused one again. 409 for any other status.',
      tag,
      params: schema.MessagePath,
      response: { 200: schema.MessageView },
    },
    handler: async (input) => {
      const { lab_connection_id: connectionId, lab_message_id: id } = input.params;
      const acting = await authorizeChange(scoped, input);
      return schema.viewMessage(await retryMessage(app, acting, { connectionId, id }));
    },
  });
}
