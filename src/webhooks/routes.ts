import type { App } from '../app.ts';
import { readTenant } from '../app.ts';
import type { ScopedTenant } from '../events/routes.ts';
import { isoMoment } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import type { AttemptPage } from './attempt-store.ts';
import * as endpoints from './endpoints.ts';
import { readAttempts, recoverMessages, resendMessage } from './resend.ts';
import * as schema from './schema.ts';
import { listEndpoints } from './store.ts';

const BASE = '/v1/org/:org_id/team/:team_id/:environment/webhook';
const ONE = `${BASE}/:webhook_id`;
const tag = 'Webhooks';

/** The endpoints of a tenant, their headers and secrets, and what came of every attempt. */
export function webhookRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  endpointRoutes(http, app, scoped);
  changeRoutes(http, app, scoped);
  headerRoutes(http, app, scoped);
  secretRoutes(http, app, scoped);
  attemptRoutes(http, app, scoped);
  resendRoutes(http, app, scoped);
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
      const page = { after: query.next_cursor ? cursorId(query.next_cursor) : null, limit: query.limit + 1 };
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
    handler: async ({ principal, params, body }) =>
      schema.viewEndpoint(await endpoints.createEndpoint(app, await scoped(principal, params), body)),
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
    handler: async ({ principal, params, body }) => {
      const tenant = await scoped(principal, params);
      const command = { id: params.webhook_id, changes: body };
      return schema.viewEndpoint(await endpoints.changeEndpoint(app, tenant, command));
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
    handler: async ({ principal, params }) =>
      endpoints.removeEndpoint(app, await scoped(principal, params), params.webhook_id),
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
    handler: async ({ principal, params, body }) => {
      const tenant = await scoped(principal, params);
      await endpoints.replaceHeaders(app, tenant, { id: params.webhook_id, headers: body.headers });
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
    handler: async ({ principal, params, body }) => {
      const tenant = await scoped(principal, params);
      await endpoints.rotateSecret(app, tenant, { id: params.webhook_id, key: body.key });
    },
  });
}

function attemptRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(`${ONE}/attempt`, {
    schema: {
      operationId: 'listWebhookAttempts',
      summary: 'List the attempts of the last 30 days, the newest first',
      tag,
      params: schema.EndpointPath,
      query: schema.Page,
      response: { 200: schema.AttemptList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const before = query.next_cursor ? cursorPlace(query.next_cursor) : null;
      const page = { endpointId: params.webhook_id, before, limit: query.limit + 1 };
      const found = await readAttempts(app, tenant, page);
      const data = found.slice(0, query.limit).map(({ row, response }) => schema.viewAttempt(row, response));
      const last = found.length > query.limit ? data.at(-1) : undefined;
      return { data, next_cursor: last ? `${last.at}/${last.id}` : null };
    },
  });
}

function resendRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.post(`${ONE}/message/:message_id/resend`, {
    schema: {
      operationId: 'resendWebhookMessage',
      summary: 'Send one message once more',
      tag,
      params: schema.MessagePath,
      response: { 204: null },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      await resendMessage(app, tenant, { id: params.webhook_id, message: params.message_id });
    },
  });

  http.management.post(`${ONE}/recover`, {
    schema: {
      operationId: 'recoverWebhookMessages',
      summary: 'Send again what failed or was missed since a moment',
      tag,
      params: schema.EndpointPath,
      body: schema.Recover,
      response: { 200: schema.Recovered },
    },
    handler: async ({ principal, params, body }) => {
      const tenant = await scoped(principal, params);
      const command = { id: params.webhook_id, since: new Date(body.since) };
      return { recovered: await recoverMessages(app, tenant, command) };
    },
  });
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function cursorId(text: string): string {
  if (!UUID.test(text)) throw strange();
  return text;
}

function cursorPlace(text: string): NonNullable<AttemptPage['before']> {
  const [moment = '', id = ''] = text.split('/');
  const at = new Date(moment);
  if (Number.isNaN(at.getTime()) || isoMoment(at) !== moment) throw strange();
  return { at, id: cursorId(id) };
}

const strange = () =>
  new DomainError('invalid', [
    { loc: ['query', 'next_cursor'], msg: 'expected a cursor that was answered before', type: 'value_error' },
  ]);
