import { z } from 'zod';
import { PageCursor, readPage } from '../../platform/http/page.ts';
import { isoTimestamp, isoTimestampOrNull } from '../../platform/clock.ts';
import type { Http } from '../../platform/http/http.ts';
import { openEnum } from '../../platform/open-enum.ts';
import { LABS, PULLED_RESOURCES } from '../../provider-settings/provider-settings.ts';
import type { Work } from '../../platform/work.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { PROVIDERS } from '../../readings/schema.ts';
import * as store from '../connections/pull-store.ts';

const RETRIABLE = [
  'provider_rate_limit_exceeded',
  'provider_unavailable',
  'transport_failure',
  'resource_contention',
];
const NON_RETRIABLE = ['non_retriable_error', 'unexpected_error', 'retry_quota_exhausted'];

const PullStatistics = z
  .object({
    status: z
      .enum(['success', 'failure', 'in_progress', 'scheduled', 'retrying'])
      .meta({ id: 'HistoricalPullStatus' }),
    range_start: Timestamp.nullable(),
    range_end: Timestamp.nullable(),
    timeline: z
      .object({ scheduled_at: Timestamp, started_at: Timestamp.nullable(), ended_at: Timestamp.nullable() })
      .meta({ id: 'HistoricalPullTimeline' }),
    days_with_data: z.int(),
    release: z.string(),
    trace_id: z.string().nullable(),
    error_details: z.enum([...RETRIABLE, ...NON_RETRIABLE]).nullable(),
  })
  .meta({ id: 'SingleHistoricalPullStatistics' });

const ProviderPulls = z
  .object({ pulled: z.record(z.string(), PullStatistics), not_pulled: z.array(openEnum(PULLED_RESOURCES)) })
  .meta({ id: 'SingleProviderHistoricalPullResponse' });
const UserPulls = z
  .object({ user_id: z.guid(), provider: z.record(z.string(), ProviderPulls) })
  .meta({ id: 'SingleUserHistoricalPullResponse' });
const UserPullsPage = z
  .object({
    data: z.array(UserPulls),
    next: z.string().nullable().meta({ deprecated: true }),
    next_cursor: z.string().nullable(),
  })
  .meta({ id: 'UserHistoricalPullsResponse' });

const USERS_MAX = 100;

const PullsQuery = z.object({
  user_id: z.guid().nullish(),
  provider: z
    .enum([...new Set([...PROVIDERS, ...LABS])])
    .nullish()
    .describe('Laboratories have no historical pulls.'),
  user_limit: z.int().min(1).max(USERS_MAX).default(50),
  cursor: PageCursor.meta({ deprecated: true }),
  next_cursor: PageCursor,
});

/** The progress of historical pulls. */
export function pullIntrospectionRoutes(http: Http): void {
  http.get('/v2/introspect/historical_pull', {
    schema: {
      operationId: 'introspectHistoricalPulls',
      summary: 'List historical pulls by user and provider',
      tag: 'Wearables',
      query: PullsQuery,
      response: { 200: UserPullsPage },
    },
    handler: async ({ work, query }) => {
      const provider = query.provider ?? undefined;
      const filter = { userId: query.user_id ?? undefined, provider };
      const { items, next_cursor } = await readPage(
        { next_cursor: query.next_cursor ?? query.cursor, limit: query.user_limit },
        (page) => store.listPulledUsers(work, { ...filter, ...page }),
      );
      const data = await listUserViews(
        work,
        items.map(({ id }) => id),
        provider,
      );
      return { data, next: next_cursor, next_cursor };
    },
  });
}

async function listUserViews(
  work: Work,
  userIds: readonly string[],
  provider: string | undefined,
): Promise<z.input<typeof UserPulls>[]> {
  const connections = await store.listPulledConnections(work, { userIds, provider });
  const pulls = await store.listHistory(
    work,
    connections.map(({ id }) => id),
  );
  return userIds.map((id) => {
    const own = connections.filter(({ user_id }) => user_id === id);
    return {
      user_id: id,
      provider: Object.fromEntries(own.map((one) => [one.provider, toProviderPullsView(one, pulls)])),
    };
  });
}

function toProviderPullsView(
  { id, resources }: store.PulledConnection,
  pulls: readonly store.HistoricalPullRow[],
): z.input<typeof ProviderPulls> {
  const own = pulls.filter(({ connection_id }) => connection_id === id);
  const pulled = new Set(own.map(({ resource }) => resource));
  return {
    pulled: Object.fromEntries(own.map((pull) => [pull.resource, toPullView(pull)])),
    not_pulled: resources.filter((resource) => !pulled.has(resource)),
  };
}

const toPullView = (pull: store.HistoricalPullRow): z.input<typeof PullStatistics> => ({
  status: pull.status,
  range_start: isoTimestamp(pull.range_start),
  range_end: isoTimestamp(pull.range_end),
  timeline: {
    scheduled_at: isoTimestamp(pull.scheduled_at),
    started_at: isoTimestampOrNull(pull.started_at),
    ended_at: isoTimestampOrNull(pull.ended_at),
  },
  days_with_data: pull.days_with_data,
  release: 'aliquot',
  trace_id: null,
  error_details: pull.fault,
});
