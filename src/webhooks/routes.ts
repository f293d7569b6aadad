import type { App } from '../app.ts';
import { readTenant } from '../app.ts';
import type { EventType } from '../events/events.ts';
import { actingOf, type ScopedTenant } from '../management/management.ts';
import type { Http } from '../platform/http/http.ts';
import { attemptRoutes } from './attempt-routes.ts';
import * as endpoints from './endpoints.ts';
import { messageRoutes } from './message-routes.ts';
import * as schema from './schema.ts';
import { listEndpoints } from './store.ts';

const BASE = '/v1/org/:org_id/team/:team_id/:environment/webhook';
const ONE = `${BASE}/:webhook_id`;
const tag = 'Webhooks';

/** The endpoints of a tenant, their headers and secrets, and what came of every attempt. */
export function webhookRoutes(
  http: Http,
  app: App,
  given: { scoped: ScopedTenant; catalog: readonly EventType[] },
): void {
  const { scoped } = given;
  endpointRoutes(http, app, scoped);
  changeRoutes(http, app, scoped);
  headerRoutes(http, app, scoped);
  secretRoutes(http, app, scoped);
  attemptRoutes(http, app, scoped);
  messageRoutes(http, app, given);
}

function endpointRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(BASE, {
    schema: {
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      tag,
      params: schema.TenantPath,
      query: schema.Page,
      response: { 200: schema.EndpointList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const page = {
        after: query.next_cursor ? schema.readCursor(query.next_cursor) : null,
        limit: query.limit + 1,
      };
      const rows = await readTenant(app, tenant, (work) => listEndpoints(work, page));
      const data = rows.slice(0, query.limit).map(schema.viewEndpoint);
      return { data, next_cursor: rows.length > query.limit ? (data.at(-1)?.id ?? null) : null };
    },
  });

  http.management.get(ONE, {
    schema: {
      operationId: 'getWebhook',
      summary: 'Read a webhook',
      tag,
      params: schema.EndpointPath,
      response: { 200: schema.EndpointView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const row = await readTenant(app, tenant, (work) => endpoints.getEndpoint(work, params.webhook_id));
      return schema.viewEndpoint(row);
    },
  });
}

function changeRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.post(BASE, {
    schema: {
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      tag,
      params: schema.TenantPath,
      body: schema.CreateEndpoint,
      response: { 200: schema.EndpointView },
    },
    handler: async (input) =>
      schema.viewEndpoint(await endpoints.createEndpoint(app, await actingOf(scoped, input), input.body)),
  });

  http.management.patch(ONE, {
    schema: {
      operationId: 'changeWebhook',
      summary: 'Change, disable or enable a webhook',
      tag,
      params: schema.EndpointPath,
      body: schema.ChangeEndpoint,
      response: { 200: schema.EndpointView },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, changes: input.body };
      const acting = await actingOf(scoped, input);
      return schema.viewEndpoint(await endpoints.changeEndpoint(app, acting, command));
    },
  });

  http.management.delete(ONE, {
    schema: {
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      tag,
      params: schema.EndpointPath,
      response: { 204: null },
    },
    handler: async (input) => {
      await endpoints.removeEndpoint(app, await actingOf(scoped, input), input.params.webhook_id);
      return undefined;
    },
  });
}

function headerRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(`${ONE}/headers`, {
    schema: {
      operationId: 'getWebhookHeaders',
      summary: 'Read the names of the custom headers of a webhook',
      tag,
      params: schema.EndpointPath,
      response: { 200: schema.HeadersView },
    },
    handler: async ({ principal, params }) =>
      schema.viewHeaders(
        await endpoints.readHeaders(app, await scoped(principal, params), params.webhook_id),
      ),
  });

  http.management.put(`${ONE}/headers`, {
    schema: {
      operationId: 'replaceWebhookHeaders',
      summary: 'Replace the custom headers of a webhook',
      tag,
      params: schema.EndpointPath,
      body: schema.ReplaceHeaders,
      response: { 204: null },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, headers: input.body.headers };
      await endpoints.replaceHeaders(app, await actingOf(scoped, input), command);
      return undefined;
    },
  });
}

function secretRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(`${ONE}/secret`, {
    schema: {
      operationId: 'getWebhookSecret',
      summary: 'Read the secret that signs the messages to a webhook',
      tag,
      params: schema.EndpointPath,
      response: { 200: schema.SecretView },
    },
    handler: async ({ principal, params }) => ({
      key: await endpoints.readSecretOf(app, await scoped(principal, params), params.webhook_id),
    }),
  });

  http.management.post(`${ONE}/secret/rotate`, {
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Replace the secret; the old one signs beside the new for 24 hours',
      tag,
      params: schema.EndpointPath,
      body: schema.RotateSecret,
      response: { 204: null },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, key: input.body.key };
      await endpoints.rotateSecret(app, await actingOf(scoped, input), command);
      return undefined;
    },
  });
}
