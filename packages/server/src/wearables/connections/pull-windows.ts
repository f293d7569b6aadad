import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { DAY, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { ProviderConnection } from './connection.ts';
import { findLastDays } from '../records/records.ts';
import { findLastSampleTimes } from '../samples/samples.ts';
import type { PullWindow } from './pull-store.ts';

/** The overlap with the previous pull: watches synchronize late. */
export const OVERLAP_MS = 2 * DAY;
/** Data that a device uploads later than this is only found by a historical pull. */
const LOOKBACK_MAX_MS = 30 * DAY;
/**
 * Users enter and upload workouts in any order, so the newest one says nothing about earlier ones, and a stream may
 * arrive after its workout. Stored streams are not requested again.
 */
const UNORDERED_RESOURCES: ReadonlySet<string> = new Set(['workouts', 'workout_stream']);

/** The resources to pull from a connection. */
interface PullTarget {
  readonly connection: Pick<
    ProviderConnection,
    'id' | 'user_id' | 'provider' | 'pulled_to' | 'created_at' | 'news_refused_at'
  >;
  readonly resources: readonly string[];
}

/** The pull windows of a poll or refresh. All connections must be of one provider. */
export function planScheduledPulls(
  work: Work,
  wanted: readonly PullTarget[],
  { news }: Pick<WearableProvider, 'news'>,
): Promise<PullWindow[]> {
  const isTold = ({ connection }: PullTarget) =>
    news.kind === 'webhook' && news.dated && !connection.news_refused_at;
  return planPulls(work, wanted, isTold);
}

/** The pull windows for a notification that does not name its days. */
export const planUndatedPulls = (work: Work, wanted: readonly PullTarget[]): Promise<PullWindow[]> =>
  planPulls(work, wanted, () => false);

/**
 * Windows begin shortly before the last pull. A watch may not have synchronized for a week while daily pulls returned
 * nothing: unless notifications name the days of late data (`isTold`), windows begin at the newest stored data.
 */
async function planPulls(
  work: Work,
  wanted: readonly PullTarget[],
  isTold: (one: PullTarget) => boolean,
): Promise<PullWindow[]> {
  const earliest = later(work.now, -LOOKBACK_MAX_MS);
  const kept = await findLastStored(work, { wanted: wanted.filter((one) => !isTold(one)), since: earliest });
  return wanted.flatMap((one) => {
    const { id, user_id: userId, pulled_to, created_at } = one.connection;
    const asked = later(pulled_to ?? created_at, -OVERLAP_MS);
    return one.resources.map((resource) => {
      const last = UNORDERED_RESOURCES.has(resource)
        ? undefined
        : kept.get(toKey(userId, toStoredResource(resource)));
      const late = last === undefined ? earliest : latest(earliest, later(last, -OVERLAP_MS));
      return { connectionId: id, resource, from: isTold(one) || asked < late ? asked : late, to: work.now };
    });
  });
}

const latest = (one: Date, other: Date): Date => (one > other ? one : other);
const toKey = (userId: string, resource: string): string => `${userId}/${resource}`;

/** The newest stored timestamp by user and resource, for one provider. */
async function findLastStored(
  work: Work,
  { wanted, since }: { wanted: readonly PullTarget[]; since: Date },
): Promise<Map<string, Date>> {
  const [first] = wanted;
  if (!first) return new Map();
  const asked = {
    provider: first.connection.provider,
    userIds: wanted.map(({ connection }) => connection.user_id),
    resources: [...new Set(wanted.flatMap(({ resources }) => resources.map(toStoredResource)))],
  };
  const rows = [
    ...(await findLastDays(work, { ...asked, since })),
    ...(await findLastSampleTimes(work, asked)),
  ];
  return new Map(rows.map(({ userId, resource, at }) => [toKey(userId, resource), at]));
}

/** Streams are dated by their workouts. */
const toStoredResource = (resource: string): string =>
  resource === 'workout_stream' ? 'workouts' : resource;
