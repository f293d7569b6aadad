import type { App } from '../app.ts';
import { isoMoment } from '../platform/clock.ts';
import type { Http } from '../platform/http/http.ts';
import { actingOf, type ScopedTenant } from './acting.ts';
import type { AttemptPage } from './attempt-store.ts';
import { readAttempts, recoverMessages, resendMessage } from './resend.ts';
import * as schema from './schema.ts';

const ONE = '/v1/org/:org_id/team/:team_id/:environment/webhook/:webhook_id';
const tag = 'Webhooks';

/** What came of the messages to an endpoint, and sending them again (ours, beyond the contract). */
export function messageRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  attemptRoutes(http, app, scoped);
  resendRoutes(http, app, scoped);
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
    handler: async (input) => {
      const command = { id: input.params.webhook_id, message: input.params.message_id };
      await resendMessage(app, await actingOf(scoped, input), command);
      return undefined;
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
    handler: async (input) => {
      const command = { id: input.params.webhook_id, since: new Date(input.body.since) };
      return { recovered: await recoverMessages(app, await actingOf(scoped, input), command) };
    },
  });
}

/** The cursor of attempts is a moment and an id, both of the last one that was read. */
function cursorPlace(text: string): NonNullable<AttemptPage['before']> {
  const [moment = '', id = ''] = text.split('/');
  const at = new Date(moment);
  if (Number.isNaN(at.getTime()) || isoMoment(at) !== moment) throw schema.strangeCursor();
  return { at, id: schema.readCursor(id) };
}
