import type { App } from '../../app.ts';
import { authorizeChange, type TenantAuthorizer } from '../../identity/management/management.ts';
import type { Http } from '../../platform/http/http.ts';
import { receiverRoute } from './receiver-route.ts';
import * as schema from './schema.ts';
import { changeInbox, createInbox, getInbox, getReceived, listReceived } from './webhook-inbox.ts';

const BASE = '/v1/org/:org_id/team/:team_id/:environment/webhook_inbox';
const tag = 'Webhooks';

/** A receiver of webhooks in the service itself (an extension of the contract). */
export function webhookInboxRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  inboxRoutes(http, app, scoped);
  receivedRoutes(http, app, scoped);
  receiverRoute(http, app);
}

function inboxRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(BASE, {
    schema: {
      operationId: 'getWebhookInbox',
      summary: 'Get the webhook inbox of a sandbox',
      description: 'Extension. 404 if there is none.',
      tag,
      params: schema.SandboxPath,
      response: { 200: schema.InboxView },
    },
    handler: async ({ principal, params }) => getInbox(app, await scoped(principal, params)),
  });

  http.management.post(BASE, {
    schema: {
      operationId: 'createWebhookInbox',
      summary: 'Create the webhook inbox of a sandbox',
      description:
        'Extension. Creates an endpoint for all events whose URL is the service’s own, with a token that cannot be ' +
        'guessed. Messages to it are signed, sent and retried like any other; the newest 100 that arrive are kept for ' +
        'seven days of the sandbox clock. Returns the inbox that exists. Delete its endpoint to delete it.',
      tag,
      params: schema.SandboxPath,
      response: { 200: schema.InboxView },
    },
    handler: async ({ principal, from, params }) =>
      createInbox(app, await authorizeChange(scoped, { principal, from, params })),
  });

  http.management.patch(BASE, {
    schema: {
      operationId: 'changeWebhookInbox',
      summary: 'Choose the answer of the webhook inbox',
      description: 'Extension. Lets retries be seen. A request that waits for a timeout still gets none.',
      tag,
      params: schema.SandboxPath,
      body: schema.ChangeInbox,
      response: { 200: schema.InboxView },
    },
    handler: async ({ principal, from, params, body }) => {
      const acting = await authorizeChange(scoped, { principal, from, params });
      return changeInbox(app, acting, body.answer);
    },
  });
}

function receivedRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${BASE}/request`, {
    schema: {
      operationId: 'listReceivedWebhooks',
      summary: 'List received webhooks',
      description: 'Extension. What arrived in the inbox, newest first, without headers and bodies.',
      tag,
      params: schema.SandboxPath,
      query: schema.ReceivedQuery,
      response: { 200: schema.ReceivedList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const before = query.next_cursor ? schema.readReceivedCursor(query.next_cursor) : null;
      const found = await listReceived(app, tenant, { before, limit: query.limit + 1 });
      const data = found.slice(0, query.limit);
      return { data, next_cursor: found.length > query.limit ? (data.at(-1)?.id ?? null) : null };
    },
  });

  http.management.get(`${BASE}/request/:received_id`, {
    schema: {
      operationId: 'getReceivedWebhook',
      summary: 'Get a received webhook',
      description: 'Extension. Includes its headers and its body.',
      tag,
      params: schema.ReceivedPath,
      response: { 200: schema.ReceivedDetail },
    },
    handler: async ({ principal, params }) =>
      getReceived(app, await scoped(principal, params), params.received_id.toLowerCase()),
  });
}
