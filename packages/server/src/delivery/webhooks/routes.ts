import type { z } from 'zod';
import { readTenant, type App, type Work } from '../../app.ts';
import type { EventType } from '../../events/events.ts';
import { authorizeChange, type TenantAuthorizer } from '../../identity/management/management.ts';
import type { Http } from '../../platform/http/http.ts';
import { attemptRoutes } from './attempt-routes.ts';
import * as endpoints from './endpoints.ts';
import { messageRoutes } from './message-routes.ts';
import * as schema from './schema.ts';
import { listEndpoints } from './store.ts';

const BASE = '/v1/org/:org_id/team/:team_id/:environment/webhook';
const ONE = `${BASE}/:webhook_id`;
const tag = 'Webhooks';

/** Routes for the endpoints of a tenant, their headers and secrets, and their delivery attempts. */
export function webhookRoutes(
  http: Http,
  app: App,
  given: { scoped: TenantAuthorizer; catalog: readonly EventType[] },
): void {
  const { scoped } = given;
  endpointRoutes(http, app, scoped);
  changeRoutes(http, app, scoped);
  headerRoutes(http, app, scoped);
  secretRoutes(http, app, scoped);
  attemptRoutes(http, app, scoped);
  messageRoutes(http, app, given);
}

function endpointRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(BASE, {
    schema: {
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      tag,
      params: schema.TenantPath,
      query: schema.PageQuery,
      response: { 200: schema.EndpointList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      return readTenant(app, tenant, (work) => readEndpointPage(work, query));
    },
  });

  http.get('/v1/webhook', {
    schema: {
      operationId: 'listTeamWebhooks',
      summary: 'List webhooks with a team key',
      description: 'The same as `listWebhooks`, for callers that have no management key.',
      tag,
      query: schema.PageQuery,
      response: { 200: schema.EndpointList },
    },
    handler: ({ work, query }) => readEndpointPage(work, query),
  });

  http.management.get(ONE, {
    schema: {
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      tag,
      params: schema.EndpointPath,
      response: { 200: schema.EndpointView },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      const row = await readTenant(app, tenant, (work) => endpoints.getEndpoint(work, params.webhook_id));
      return schema.toEndpointView(row);
    },
  });
}

async function readEndpointPage(
  work: Work,
  query: z.output<typeof schema.PageQuery>,
): Promise<z.input<typeof schema.EndpointList>> {
  const after = query.next_cursor ? schema.readCursor(query.next_cursor) : null;
  const rows = await listEndpoints(work, { after, limit: query.limit + 1 });
  const data = rows.slice(0, query.limit).map(schema.toEndpointView);
  return { data, next_cursor: rows.length > query.limit ? (data.at(-1)?.id ?? null) : null };
}

function changeRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
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
      schema.toEndpointView(
        await endpoints.createEndpoint(app, await authorizeChange(scoped, input), input.body),
      ),
  });

  http.management.patch(ONE, {
    schema: {
      operationId: 'changeWebhook',
      summary: 'Update a webhook',
      description: 'Omitted fields stay unchanged. Disabling holds pending messages; enabling releases them.',
      tag,
      params: schema.EndpointPath,
      body: schema.ChangeEndpoint,
      response: { 200: schema.EndpointView },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, changes: input.body };
      const acting = await authorizeChange(scoped, input);
      return schema.toEndpointView(await endpoints.changeEndpoint(app, acting, command));
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
      await endpoints.removeEndpoint(app, await authorizeChange(scoped, input), input.params.webhook_id);
      return undefined;
    },
  });
}

function headerRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${ONE}/headers`, {
    schema: {
      operationId: 'getWebhookHeaders',
      summary: 'Get custom webhook headers',
      description: 'All values are masked.',
      tag,
      params: schema.EndpointPath,
      response: { 200: schema.HeadersView },
    },
    handler: async ({ principal, params }) =>
      schema.toHeadersView(
        await endpoints.readHeaders(app, await scoped(principal, params), params.webhook_id),
      ),
  });

  http.management.put(`${ONE}/headers`, {
    schema: {
      operationId: 'replaceWebhookHeaders',
      summary: 'Replace custom webhook headers',
      tag,
      params: schema.EndpointPath,
      body: schema.ReplaceHeaders,
      response: { 204: null },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, headers: input.body.headers };
      await endpoints.replaceHeaders(app, await authorizeChange(scoped, input), command);
      return undefined;
    },
  });
}

function secretRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${ONE}/secret`, {
    schema: {
      operationId: 'getWebhookSecret',
      summary: 'Get the webhook signing secret',
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
      summary: 'Rotate the webhook signing secret',
      description: 'For 24 hours messages are signed with both the old and the new secret.',
      tag,
      params: schema.EndpointPath,
      body: schema.RotateSecret,
      response: { 204: null },
    },
    handler: async (input) => {
      const command = { id: input.params.webhook_id, key: input.body.key };
      await endpoints.rotateSecret(app, await authorizeChange(scoped, input), command);
      return undefined;
    },
  });
}
