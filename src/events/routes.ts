import { z } from 'zod';
import type { App } from '../app.ts';
import { readTenant } from '../app.ts';
import { isoMoment } from '../platform/clock.ts';
import { DomainError } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import type { ManagementPrincipal } from '../platform/http/route.ts';
import { ENVIRONMENTS, type Tenant } from '../platform/tenant.ts';
import { eventBody } from './events.ts';
import { unknownType } from './named-types.ts';
import * as store from './store.ts';

const Params = z.object({ org_id: z.guid(), team_id: z.guid(), environment: z.enum(ENVIRONMENTS) });

const Query = z.object({
  after: z.int().min(0).default(0).describe('The position of the last event that was read.'),
  event_type: z.string().max(200).optional().describe('Exact, or a prefix that ends in `.*`.'),
  limit: z.int().min(1).max(500).default(100),
});

const EventView = z
  .object({
    id: z.string(),
    position: z.int(),
    created_at: z.iso.datetime({ offset: true }),
    event_type: z.string(),
    body: z.looseObject({ event_type: z.string() }).describe('As it is sent to endpoints.'),
  })
  .meta({ id: 'LoggedEvent' });

const EventList = z.object({
  data: z.array(EventView),
  next_cursor: z.int().describe('Give it as `after` to read on; it is there even when the page is empty.'),
  latest: z
    .int()
    .describe(
      'The position of the newest event, 0 for an empty log: where to begin to hear only what comes.',
    ),
});

/** The tenant of a management route that names one, if the key may act for it. */
export type ScopedTenant = (principal: ManagementPrincipal, at: z.output<typeof Params>) => Promise<Tenant>;

/** Reading the event log by cursor, for consumers that would rather ask than be called (ours, beyond the contract). */
export function eventRoutes(http: Http, app: App, scoped: ScopedTenant): void {
  http.management.get('/v1/org/:org_id/team/:team_id/:environment/event', {
    schema: {
      operationId: 'listEvents',
      summary: 'Read the event log by cursor',
      tag: 'Webhooks',
      params: Params,
      query: Query,
      response: { 200: EventList },
    },
    handler: async ({ principal, params, query }) => {
      const tenant = await scoped(principal, params);
      const { event_type: type } = query;
      const faults = type === undefined ? [] : unknownType(app.eventTypes, type, ['query', 'event_type']);
      if (faults.length > 0) throw new DomainError('invalid', faults);
      return readTenant(app, tenant, async (work) => {
        const [rows, latest] = await Promise.all([store.listEvents(work, query), store.latestPosition(work)]);
        const data = rows.map((row) => ({
          id: row.id,
          position: row.position ?? 0,
          created_at: isoMoment(row.created_at),
          event_type: row.event_type,
          body: JSON.parse(eventBody(work, row)),
        }));
        return { data, next_cursor: data.at(-1)?.position ?? query.after, latest };
      });
    },
  });
}
