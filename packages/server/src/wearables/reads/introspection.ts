import { isoTimestamp } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { openCursor, createCursors } from './cursor.ts';
import type { ResourcesQuery, ResourceStatistics } from './introspection-schema.ts';
import * as store from './store.ts';

const LIST = 'introspect/resources';

/** The available data by user, provider and resource: of one user, or a page of all users with data. */
export async function listUserResources(work: Work, query: ResourcesQuery) {
  const { ids, next } = await listUserIds(work, query);
  const [samples, summaries, attempts] = await Promise.all([
    store.listSampleExtents(work, ids),
    store.listSummaryExtents(work, ids),
    store.listLastAttempts(work, ids),
  ]);
  const said = [
    ...[...summaries, ...samples].map((row) => ({ row, statistics: toExtentStatistics(row) })),
    ...attempts.map((row) => ({ row, statistics: toAttemptStatistics(row) })),
  ].filter(({ row }) => !query.provider || row.provider === query.provider);
  const byUser = new Map(ids.map((id): [string, ResourceFact[]] => [id, []]));
  for (const one of said) byUser.get(one.row.user_id)?.push(one);
  const data = [...byUser].map(([id, all]) => ({ user_id: id, provider: groupByProvider(all) }));
  return { data, ...createCursors(work, LIST, next) };
}

async function listUserIds(
  work: Work,
  query: ResourcesQuery,
): Promise<{ ids: string[]; next: string | null }> {
  if (query.user_id) return { ids: [(await getUser(work, query.user_id)).id], next: null };
  const after = openCursor(work, LIST, query);
  const asked = { after, limit: query.user_limit + 1, provider: query.provider ?? undefined };
  const found = await store.listMeasuredUsers(work, asked);
  const page = found.slice(0, query.user_limit);
  const present = await store.filterExistingUsers(work, page);
  return {
    ids: page.filter((id) => present.has(id)),
    next: found.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

/** Partial statistics of one resource of a user from one provider. */
interface ResourceFact {
  readonly row: { readonly user_id: string; readonly provider: string; readonly resource: string };
  readonly statistics: Partial<ResourceStatistics>;
}

/** `sent_count` is always null, because events are not counted by resource. */
const NO_STATISTICS: ResourceStatistics = {
  last_attempt: null,
  oldest_data: null,
  newest_data: null,
  sent_count: null,
};

function groupByProvider(all: readonly ResourceFact[]): Record<string, Record<string, ResourceStatistics>> {
  const providers = new Map<string, Map<string, ResourceStatistics>>();
  for (const { row, statistics } of all) {
    const resources = providers.get(row.provider) ?? new Map<string, ResourceStatistics>();
    resources.set(row.resource, { ...(resources.get(row.resource) ?? NO_STATISTICS), ...statistics });
    providers.set(row.provider, resources);
  }
  return Object.fromEntries(
    [...providers].map(([provider, resources]) => [provider, Object.fromEntries(resources)]),
  );
}

const toExtentStatistics = ({ oldest, newest }: store.ResourceExtentRow): Partial<ResourceStatistics> => ({
  oldest_data: isoTimestamp(new Date(oldest)),
  newest_data: isoTimestamp(new Date(newest)),
});

const toAttemptStatistics = ({ at, status }: store.PullAttemptRow): Partial<ResourceStatistics> => ({
  last_attempt: { timestamp: isoTimestamp(at), status },
});
