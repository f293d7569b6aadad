import { readTenant, type App } from '../../app.ts';
import { z } from 'zod';
import type { TenantAuthorizer } from '../../identity/management/management.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import type { Tenant } from '../../platform/tenant.ts';
import type { WebhookAttemptPage } from './attempt-store.ts';
import { readAttempt, readAttempts } from './attempts.ts';
import * as schema from './message-schema.ts';
import { INTERVALS, MetricView, readMetric, WINDOWS_DESCRIPTION } from './metric.ts';
import { EndpointPath, readCursor, invalidCursor, TenantPath } from './schema.ts';
import { eventOfMessage } from '../../events/events.ts';
import { StatisticsQuery, StatisticsView } from './statistics-schema.ts';
import { readStatistics } from './statistics.ts';

const TENANT = '/v1/org/:org_id/team/:team_id/:environment';
const ONE = `${TENANT}/webhook/:webhook_id`;
const tag = 'Webhooks';

/** Delivery attempts, one by one and counted (an extension of the contract). */
export function attemptRoutes(http: Http, app: App, scoped: TenantAuthorizer): void {
  listRoute(http, app, scoped);
  oneRoute(http, app, scoped);
  metricRoute(http, app, scoped);
  statisticsRoute(http, app, scoped);
}

function listRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${ONE}/attempt`, {
    schema: {
      operationId: 'listWebhookAttempts',
      summary: 'List webhook attempts',
      description: 'The attempts of the last 30 days, newest first.',
      tag,
      params: EndpointPath,
      query: schema.AttemptQuery,
      response: { 200: schema.AttemptList },
    },
    handler: async ({ principal, params, query }) =>
      readAttemptPage(app, await scoped(principal, params), { endpointId: params.webhook_id, query }),
  });
  http.get('/v1/webhook/:webhook_id/attempt', {
    schema: {
      operationId: 'listTeamWebhookAttempts',
      summary: 'List webhook attempts with a team key',
      description: 'The same as `listWebhookAttempts`, for callers that have no management key.',
      tag,
      params: EndpointPath.pick({ webhook_id: true }),
      query: schema.AttemptQuery,
      response: { 200: schema.AttemptList },
    },
    handler: ({ tenant, params, query }) =>
      readAttemptPage(app, tenant, { endpointId: params.webhook_id, query }),
  });
}

async function readAttemptPage(
  app: App,
  tenant: Tenant,
  { endpointId, query }: { endpointId: string; query: schema.AttemptQuery },
): Promise<z.input<typeof schema.AttemptList>> {
  const found = await readAttempts(app, tenant, toAttemptPage(endpointId, query));
  const data = found.slice(0, query.limit);
  const last = found.length > query.limit ? data.at(-1) : undefined;
  return { data, next_cursor: last ? `${last.at}/${last.id}` : null };
}

function oneRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${ONE}/attempt/:attempt_id`, {
    schema: {
      operationId: 'getWebhookAttempt',
      summary: 'Get a webhook attempt',
      description: 'Includes the request and the response of the attempt.',
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

function metricRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${TENANT}/event_delivery_metric`, {
    schema: {
      operationId: 'getEventDeliveryMetric',
      summary: 'Get webhook delivery metrics',
      description: WINDOWS_DESCRIPTION,
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

function statisticsRoute(http: Http, app: App, scoped: TenantAuthorizer): void {
  http.management.get(`${ONE}/statistics`, {
    schema: {
      operationId: 'getWebhookStatistics',
      summary: 'Get the success rate and latency of a webhook',
      description:
        'Extension. Attempts over time with the 50th and 95th percentile of their durations, from counters kept ' +
        'with the attempts. A percentile is estimated from a histogram whose steps grow by the factor 1.41. Test ' +
        'messages are not counted.',
      tag,
      params: EndpointPath,
      query: StatisticsQuery,
      response: { 200: StatisticsView },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      return readStatistics(app, tenant, { endpointId: params.webhook_id, query });
    },
  });
}

function toAttemptPage(endpointId: string, query: schema.AttemptQuery): WebhookAttemptPage {
  const { message_id: message, status, since, until } = query;
  return {
    endpointId,
    before: query.next_cursor ? parseAttemptCursor(query.next_cursor) : null,
    limit: query.limit + 1,
    // An invalid message id matches no event.
    eventId: message ? (eventOfMessage(message) ?? NO_EVENT) : undefined,
    status: status ?? undefined,
    since: since ? new Date(since) : undefined,
    until: until ? new Date(until) : undefined,
  };
}

const NO_EVENT = '00000000-0000-0000-0000-000000000000';

/** The cursor of attempts: the timestamp and the id of the last one on the page. */
function parseAttemptCursor(text: string): NonNullable<WebhookAttemptPage['before']> {
  const [moment = '', id = ''] = text.split('/');
  const at = new Date(moment);
  if (Number.isNaN(at.getTime()) || isoTimestamp(at) !== moment) throw invalidCursor();
  return { at, id: readCursor(id) };
}
