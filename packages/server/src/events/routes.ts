import { z } from 'zod';
import { readTenant, type App, type Work } from '../app.ts';
import { isoTimestamp } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import type { ManagementPrincipal } from '../platform/http/route.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
import { Timestamp } from '../platform/timestamp.ts';
import { requireReadableCursor } from './cursor.ts';
import { serializeEventBody } from './events.ts';
import { validateEventType } from './event-type-filter.ts';
import * as store from './store.ts';

const Params = z.object({ org_id: z.guid(), team_id: z.guid(), environment: z.enum(ENVIRONMENTS) });

const Query = z.object({
  after: z
    .int()
    .min(0)
    .default(0)
    .describe(
      'The position of the last event that you read; 0 starts at the oldest event that is kept. A position that this log has never ' +
        'reached is a 422: it belongs to another log, or the database was restored from an older backup. A position before events that the retention removed is a ' +
        '410, because a client that continues there would miss them.',
    ),
  before: z
    .int()
    .min(0)
    .optional()
    .describe(
      'Reads backwards, newest first: the events before this position; 0 starts at the newest event. `after` has no ' +
        'meaning then. A page with fewer events than `limit` is the last one.',
    ),
  event_type: z.string().max(200).optional().describe('An exact event type, or a prefix that ends in `.*`.'),
  user_id: z.guid().optional().describe('Only events of this user.'),
  request_id: z
    .string()
    .min(1)
    .max(128)
    .optional()
    .describe('Only events that the request with this x-request-id caused.'),
  id: z
    .guid()
    .optional()
    .describe('Only the event with this id: what follows `msg_` in the webhook-id of its message.'),
  limit: z.int().min(1).max(500).default(100).describe('The maximum number of events to return.'),
});

const EventView = z
  .object({
    id: z.string(),
    position: z
      .int()
      .describe('Counts the events of the team in this environment. Later events have higher positions.'),
    created_at: Timestamp,
    event_type: z.string(),
    request_id: z
      .string()
      .nullable()
      .describe(
        'The x-request-id of the request to the team API that caused it; null for other causes, batches, and events of earlier versions.',
      ),
    body: z.looseObject({ event_type: z.string() }).describe('The body as it is sent to webhook endpoints.'),
  })
  .meta({ id: 'LoggedEvent' });

const EventList = z.object({
  data: z.array(EventView),
  next_cursor: z
    .int()
    .describe(
      'Pass it as `after`, or as `before` when you read backwards, to read the next page; present even if this page ' +
        'is empty.',
    ),
  latest: z
    .int()
    .describe(
      'The position of the newest event, 0 for an empty log. Pass it as `after` to read only new events.',
    ),
});

/** Resolves the tenant in the path of a management route; fails unless the key may act for it. */
type EventTenantAuthorizer = (principal: ManagementPrincipal, at: z.output<typeof Params>) => Promise<Tenant>;

/**
 * Reading the event log by cursor, for consumers that poll instead of receiving webhooks (ours, beyond the contract).
 */
export function eventRoutes(http: Http, app: App, scoped: EventTenantAuthorizer): void {
  http.management.get('/v1/org/:org_id/team/:team_id/:environment/event', {
    schema: {
      operationId: 'listEvents',
      summary: 'List events by cursor',
      tag: 'Webhooks',
      params: Params,
      query: Query,
      response: { 200: EventList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      return readTenant(app, tenant, (work) => readEventPage(app, work, query));
    },
  });
  http.get('/v1/event', {
    schema: {
      operationId: 'listTeamEvents',
      summary: 'List events with a team key',
      description:
        'The same as `listEvents`, for callers that have no management key: the events of the team and the environment of the key.',
      tag: 'Webhooks',
      query: Query,
      response: { 200: EventList },
    },
    handler: ({ work, query }) => readEventPage(app, work, query),
  });
}

/** 422 for a type that does not exist, and for a cursor that this log has never reached; 410 for one before its start. */
async function readEventPage(
  app: App,
  work: Work,
  query: z.output<typeof Query>,
): Promise<z.input<typeof EventList>> {
  const { event_type: type } = query;
  const faults = type === undefined ? [] : validateEventType(app.eventTypes, type, ['query', 'event_type']);
  if (faults.length > 0) throw new DomainError('invalid', faults);
  const [rows, latest, bounds] = await Promise.all([
    query.before === undefined
      ? store.listEvents(work, query)
      : store.listEventsBackwards(work, { ...query, before: query.before }),
    store.getLatestPosition(work),
    store.getLogBounds(work),
  ]);
  if (query.before === undefined) requireReadableCursor(query.after, bounds);
  const data = rows.map((row) => ({
    id: row.id,
    position: row.position ?? 0,
    created_at: isoTimestamp(row.created_at),
    event_type: row.event_type,
    request_id: row.request_id,
    body: JSON.parse(serializeEventBody(work, row)),
  }));
  return { data, next_cursor: data.at(-1)?.position ?? query.before ?? query.after, latest };
}
