import { isoMoment } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { afterOf, cursorsOf } from './cursor.ts';
import type { ResourcesQuery, Statistics } from './introspection-schema.ts';
import * as store from './store.ts';

const LIST = 'introspect/resources';

/** What there is of each user, by provider and resource: of one, or of all who have something, page by page. */
export async function resourcesOfUsers(work: Work, query: ResourcesQuery) {
  const { ids, next } = await usersOf(work, query);
  const [samples, summaries, attempts] = await Promise.all([
    store.sampleExtents(work, ids),
    store.summaryExtents(work, ids),
    store.lastAttempts(work, ids),
  ]);
  const said = [
    ...[...summaries, ...samples].map((row) => ({ row, statistics: ofExtent(row) })),
    ...attempts.map((row) => ({ row, statistics: ofAttempt(row) })),
  ].filter(({ row }) => !query.provider || row.provider === query.provider);
  const byUser = new Map(ids.map((id): [string, Said[]] => [id, []]));
  for (const one of said) byUser.get(one.row.user_id)?.push(one);
  const data = [...byUser].map(([id, all]) => ({ user_id: id, provider: byProvider(all) }));
  return { data, ...cursorsOf(work, LIST, next) };
}

async function usersOf(work: Work, query: ResourcesQuery): Promise<{ ids: string[]; next: string | null }> {
  if (query.user_id) return { ids: [(await getUser(work, query.user_id)).id], next: null };
  const after = afterOf(work, LIST, query);
  const asked = { after, limit: query.user_limit + 1, provider: query.provider ?? undefined };
  const found = await store.listMeasured(work, asked);
  const page = found.slice(0, query.user_limit);
  const present = await store.presentOf(work, page);
  return {
    ids: page.filter((id) => present.has(id)),
    next: found.length > page.length ? (page.at(-1) ?? null) : null,
  };
}

/** Something about one resource of a user from one provider. */
interface Said {
  readonly row: { readonly user_id: string; readonly provider: string; readonly resource: string };
  readonly statistics: Partial<Statistics>;
}

/** Events are not counted by resource, so that nothing is said of how many were sent. */
const NOTHING: Statistics = { last_attempt: null, oldest_data: null, newest_data: null, sent_count: null };

function byProvider(all: readonly Said[]): Record<string, Record<string, Statistics>> {
  const providers = new Map<string, Map<string, Statistics>>();
  for (const { row, statistics } of all) {
    const resources = providers.get(row.provider) ?? new Map<string, Statistics>();
    resources.set(row.resource, { ...(resources.get(row.resource) ?? NOTHING), ...statistics });
    providers.set(row.provider, resources);
  }
  return Object.fromEntries(
    [...providers].map(([provider, resources]) => [provider, Object.fromEntries(resources)]),
  );
}

const ofExtent = ({ oldest, newest }: store.ExtentRow): Partial<Statistics> => ({
  oldest_data: isoMoment(new Date(oldest)),
  newest_data: isoMoment(new Date(newest)),
});

const ofAttempt = ({ at, status }: store.AttemptRow): Partial<Statistics> => ({
  last_attempt: { timestamp: isoMoment(at), status },
});
