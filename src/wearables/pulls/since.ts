import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { DAY, later } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { Connection } from '../connections/connection.ts';
import { lastDays } from '../records/records.ts';
import { lastMoments } from '../samples/samples.ts';
import type { NewPull } from './store.ts';

/** How far back is asked again: watches are synchronised late. */
export const OVERLAP_MS = 2 * DAY;
/** What is handed over later than this comes with the history alone. */
const LATE_MS = 30 * DAY;
/**
 * People enter and upload them in any order, so that the newest says nothing of those before it; and a stream may come
 * after its workout. Streams that are kept are not asked for again.
 */
const IN_ANY_ORDER: ReadonlySet<string> = new Set(['workouts', 'workout_stream']);

/** What is to be asked for of one connection. */
export interface Wanted {
  readonly connection: Pick<
    Connection,
    'id' | 'user_id' | 'provider' | 'pulled_to' | 'created_at' | 'news_refused_at'
  >;
  readonly resources: readonly string[];
}

/** When connections of one provider are asked of themselves: what has to be asked for now. */
export function sinceLast(
  work: Work,
  wanted: readonly Wanted[],
  { news }: Pick<WearableProvider, 'news'>,
): Promise<NewPull[]> {
  const isTold = ({ connection }: Wanted) =>
    news.kind === 'webhook' && news.dated && !connection.news_refused_at;
  return pullsSince(work, wanted, isTold);
}

/** The same where news has come that does not say of which days it is. */
export const sinceKept = (work: Work, wanted: readonly Wanted[]): Promise<NewPull[]> =>
  pullsSince(work, wanted, () => false);

/**
 * Since a connection was asked last, and a little before. A watch may have been away from its phone for a week, while
 * we asked day by day and nothing came: where no news names the days that it then hands over (`isTold`), it is asked
 * for since what is kept.
 */
async function pullsSince(
  work: Work,
  wanted: readonly Wanted[],
  isTold: (one: Wanted) => boolean,
): Promise<NewPull[]> {
  const earliest = later(work.now, -LATE_MS);
  const kept = await lastKept(work, { wanted: wanted.filter((one) => !isTold(one)), since: earliest });
  return wanted.flatMap((one) => {
    const { id, user_id: userId, pulled_to, created_at } = one.connection;
    const asked = later(pulled_to ?? created_at, -OVERLAP_MS);
    return one.resources.map((resource) => {
      const last = IN_ANY_ORDER.has(resource) ? undefined : kept.get(nameOf(userId, recordOf(resource)));
      const late = last === undefined ? earliest : latest(earliest, later(last, -OVERLAP_MS));
      return { connectionId: id, resource, from: isTold(one) || asked < late ? asked : late, to: work.now };
    });
  });
}

const latest = (one: Date, other: Date): Date => (one > other ? one : other);
const nameOf = (userId: string, resource: string): string => `${userId}/${resource}`;

/** Up to where something is kept, by user and resource; of one provider. */
async function lastKept(
  work: Work,
  { wanted, since }: { wanted: readonly Wanted[]; since: Date },
): Promise<Map<string, Date>> {
  const [first] = wanted;
  if (!first) return new Map();
  const asked = {
    provider: first.connection.provider,
    userIds: wanted.map(({ connection }) => connection.user_id),
    resources: [...new Set(wanted.flatMap(({ resources }) => resources.map(recordOf)))],
  };
  const rows = [...(await lastDays(work, { ...asked, since })), ...(await lastMoments(work, asked))];
  return new Map(rows.map(({ userId, resource, at }) => [nameOf(userId, resource), at]));
}

/** A stream is as old as its workout. */
const recordOf = (resource: string): string => (resource === 'workout_stream' ? 'workouts' : resource);
