import { readTenant, type App } from '../app.ts';
import { z } from 'zod';
import type { ScopedTenant } from '../management/management.ts';
import { isoMoment } from '../platform/clock.ts';
import type { Http } from '../platform/http/http.ts';
import type { AttemptPage } from './attempt-store.ts';
import { readAttempt, readAttempts } from './attempts.ts';
import * as schema from './message-schema.ts';
import { INTERVALS, MetricView, readMetric, WINDOWS_SAID } from './metric.ts';
import { EndpointPath, readCursor, strangeCursor, TenantPath } from './schema.ts';
import { eventOfMessage } from './signing/signature.ts';

const TENANT = '/v1/org/:org_id/team/:team_id/:environment';
const ONE = `${TENANT}/webhook/:webhook_id`;
const tag = 'Webhooks';

/** What came of the messages: attempt by attempt (ours, beyond the contract), and counted. */
export function attemptRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  listRoute(http, app, scoped);
  oneRoute(http, app, scoped);
  metricRoute(http, app, scoped);
}

function listRoute(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(`${ONE}/attempt`, {
    schema: {
      operationId: 'listWebhookAttempts',
      summary: 'List the attempts of the last 30 days, the newest first',
      tag,
      params: EndpointPath,
      query: schema.AttemptQuery,
      response: { 200: schema.AttemptList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const found = await readAttempts(app, tenant, pageOf(params.webhook_id, query));
      const data = found.slice(0, query.limit);
      const last = found.length > query.limit ? data.at(-1) : undefined;
      return { data, next_cursor: last ? `${last.at}/${last.id}` : null };
    },
  });
}

function oneRoute(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(`${ONE}/attempt/:attempt_id`, {
    schema: {
      operationId: 'getWebhookAttempt',
      summary: 'Read an attempt with what was sent and what was answered',
      tag,
      params: schema.AttemptPath,
      response: { 200: schema.AttemptDetail },
    },
    handler: async ({ principal, params }) => {
      const tenant = await scoped(principal, params);
      return readAttempt(app, tenant, { endpointId: params.webhook_id, id: params.attempt_id });
    },
  });
}

function metricRoute(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get(`${TENANT}/event_delivery_metric`, {
    schema: {
      operationId: 'getEventDeliveryMetric',
      summary: 'Count the attempts of the webhooks over time',
      description: WINDOWS_SAID,
      tag,
      params: TenantPath,
      query: z.object({ interval: z.enum(INTERVALS).default('1h') }),
      response: { 200: MetricView },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      return readTenant(app, tenant, (work) => readMetric(work, query.interval));
    },
  });
}

function pageOf(endpointId: string, query: schema.AttemptQuery): AttemptPage {
  const { message_id: message, status, since, until } = query;
  return {
    endpointId,
    before: query.next_cursor ? cursorPlace(query.next_cursor) : null,
    limit: query.limit + 1,
    // What is no message id is none that was sent.
    eventId: message ? (eventOfMessage(message) ?? NO_EVENT) : undefined,
    status: status ?? undefined,
    since: since ? new Date(since) : undefined,
    until: until ? new Date(until) : undefined,
  };
}

const NO_EVENT = '00000000-0000-0000-0000-000000000000';

/** The cursor of attempts is a moment and an id, both of the last one that was read. */
function cursorPlace(text: string): NonNullable<AttemptPage['before']> {
  const [moment = '', id = ''] = text.split('/');
  const at = new Date(moment);
  if (Number.isNaN(at.getTime()) || isoMoment(at) !== moment) throw strangeCursor();
  return { at, id: readCursor(id) };
}
