import type { App } from '../../app.ts';
import { readTenant } from '../../app.ts';
import { actingOf, type ScopedTenant } from '../../management/management.ts';
import type { Http } from '../../platform/http/http.ts';
import { getConnection } from './connections.ts';
import { listMessages } from './message-store.ts';
import { readMessage, retryMessage } from './messages.ts';
import * as schema from './schema.ts';

const MESSAGES = '/v1/org/:org_id/team/:team_id/:environment/lab_connection/:lab_connection_id/message';
const ONE = `${MESSAGES}/:lab_message_id`;
const tag = 'Laboratories';

/** Every message of a connection as it came or went, the dead among them. */
export function messageRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  listRoute(http, app, scoped);
  oneRoutes(http, app, scoped);
}

function listRoute(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(MESSAGES, {
    schema: {
      operationId: 'listLabMessages',
      summary: 'List the messages of a connection to a laboratory',
      description: 'Newest first, without their bodies. `status=dead` are the dead letters.',
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

function oneRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(ONE, {
    schema: {
      operationId: 'getLabMessage',
      summary: 'Read a message of a laboratory with its body',
      tag,
      params: schema.MessagePath,
      response: { 200: schema.WholeMessageView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const name = { connectionId: params.lab_connection_id, id: params.lab_message_id };
      const { row, body } = await readTenant(app, tenant, (work) => readMessage(work, name));
      return schema.viewWholeMessage(row, body);
    },
  });

  http.management.post(`${ONE}/retry`, {
    schema: {
      operationId: 'retryLabMessage',
      summary: 'Have a dead message taken, or a refused one sent, once more',
      description: '409 for a message that is done, or that is tried again by itself.',
      tag,
      params: schema.MessagePath,
      response: { 200: schema.MessageView },
    },
    handler: async (input) => {
      const { lab_connection_id: connectionId, lab_message_id: id } = input.params;
      const acting = await actingOf(scoped, input);
      return schema.viewMessage(await retryMessage(app, acting, { connectionId, id }));
    },
  });
}
