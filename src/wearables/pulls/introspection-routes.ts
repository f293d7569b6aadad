import { z } from 'zod';
import { pageOf, readCursor } from '../../management/management.ts';
import { isoMoment } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import { openList } from '../../platform/open-list.ts';
import { LABS, PULLED_RESOURCES } from '../../provider-settings/provider-settings.ts';
import type { Work } from '../../platform/work.ts';
import { PROVIDERS } from '../source.ts';
import * as store from './store.ts';

const Moment = z.iso.datetime({ offset: true });
const RETRIABLE = [
  'provider_rate_limit_exceeded',
  'provider_unavailable',
  'transport_failure',
  'resource_contention',
];
const FINAL = ['non_retriable_error', 'unexpected_error', 'retry_quota_exhausted'];

const Statistics = z
  .object({
    status: z
      .enum(['success', 'failure', 'in_progress', 'scheduled', 'retrying'])
      .meta({ id: 'HistoricalPullStatus' }),
    range_start: Moment.nullable(),
    range_end: Moment.nullable(),
    timeline: z
      .object({ scheduled_at: Moment, started_at: Moment.nullable(), ended_at: Moment.nullable() })
      .meta({ id: 'HistoricalPullTimeline' }),
    days_with_data: z.int(),
    release: z.string(),
    trace_id: z.string().nullable(),
    error_details: z.enum([...RETRIABLE, ...FINAL]).nullable(),
  })
  .meta({ id: 'SingleHistoricalPullStatistics' });

const OneProvider = z
  .object({ pulled: z.record(z.string(), Statistics), not_pulled: z.array(openList(PULLED_RESOURCES)) })
  .meta({ id: 'SingleProviderHistoricalPullResponse' });
const OneUser = z
  .object({ user_id: z.guid(), provider: z.record(z.string(), OneProvider) })
  .meta({ id: 'SingleUserHistoricalPullResponse' });
const Pulls = z
  .object({
    data: z.array(OneUser),
    next: z.string().nullable().meta({ deprecated: true }),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'UserHistoricalPullsResponse' });

const USERS_MAX = 100;

const Query = z.object({
  user_id: z.guid().nullish(),
  provider: z
    .enum([...new Set([...PROVIDERS, ...LABS])])
    .nullish()
    .describe('Laboratories have no past that is pulled.'),
  user_limit: z.int().min(1).max(USERS_MAX).default(50),
  cursor: z.string().max(200).nullish().meta({ deprecated: true }),
  next_cursor: z.string().max(200).nullish(),
});

/** How far the past of connections is filled in. */
export function pullIntrospectionRoutes(http: Http): void {
  http.get('/v2/introspect/historical_pull', {
    schema: {
      operationId: 'introspectHistoricalPulls',
      summary: 'Read how far the past of connections is filled in',
      tag: 'Wearables',
      query: Query,
      response: { 200: Pulls },
    },
    handler: async ({ work, query }) => {
      const provider = query.provider ?? undefined;
      const limit = query.user_limit;
      const rows = await store.listPulledUsers(work, {
        userId: query.user_id ?? undefined,
        provider,
        after: readCursor(query.next_cursor ?? query.cursor),
        limit: limit + 1,
      });
      const { items, next_cursor } = pageOf(rows, limit);
      const data = await viewUsers(
        work,
        items.map(({ id }) => id),
        provider,
      );
      return { data, next: next_cursor, next_cursor };
    },
  });
}

async function viewUsers(
  work: Work,
  userIds: readonly string[],
  provider: string | undefined,
): Promise<z.input<typeof OneUser>[]> {
  const connections = await store.listPulledConnections(work, { userIds, provider });
  const pulls = await store.listHistory(
    work,
    connections.map(({ id }) => id),
  );
  return userIds.map((id) => {
    const own = connections.filter(({ user_id }) => user_id === id);
    return {
      user_id: id,
      provider: Object.fromEntries(own.map((one) => [one.provider, viewOne(one, pulls)])),
    };
  });
}

function viewOne(
  { id, resources }: store.PulledConnection,
  pulls: readonly store.HistoricalRow[],
): z.input<typeof OneProvider> {
  const own = pulls.filter(({ connection_id }) => connection_id === id);
  const pulled = new Set(own.map(({ resource }) => resource));
  return {
    pulled: Object.fromEntries(own.map((pull) => [pull.resource, viewPull(pull)])),
    not_pulled: resources.filter((resource) => !pulled.has(resource)),
  };
}

const moment = (at: Date | null) => at && isoMoment(at);

const viewPull = (pull: store.HistoricalRow): z.input<typeof Statistics> => ({
  status: pull.status,
  range_start: isoMoment(pull.range_start),
  range_end: isoMoment(pull.range_end),
  timeline: {
    scheduled_at: isoMoment(pull.scheduled_at),
    started_at: moment(pull.started_at),
    ended_at: moment(pull.ended_at),
  },
  days_with_data: pull.days_with_data,
  release: 'aliquot',
  trace_id: null,
  error_details: pull.fault,
});
