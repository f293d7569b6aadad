import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { StreamColumns, SummaryResource } from '../../readings/readings.ts';
import type { RawSummary, Summary } from './record.ts';
import { packStream, unpackStream } from './stream-columns.ts';
import * as details from './detail-store.ts';
import * as store from './store.ts';
import * as streams from './stream-store.ts';
import { deriveSummaryId, type SummaryIdentity } from './summary-id.ts';
import { toSummaryView, type SummaryView } from './view.ts';

export { expireRawPayloads } from './expire-raw-store.ts';
export { listActivityOfDays } from './activity-store.ts';
export { findBodySchema, SUMMARY_RESOURCES, type SummaryBody } from './body-schemas.ts';
export { toLenientSchema, asSchema, getEnumValues } from './lenient.ts';
export { putSummaries, putSummary, type PutSummaryResult } from './put.ts';
export type { RawSummary, Summary } from './record.ts';
export type { SummaryQuery } from './store.ts';
export { STREAM_COLUMNS } from './stream-columns.ts';
export { deriveSummaryId } from './summary-id.ts';
export { toSummaryView, type SummaryView } from './view.ts';

/** The maximum number of summaries of one read. More is an error, because a truncated list would look complete. */
const SUMMARIES_MAX = 10_000;

/** The views of summaries, sorted by day and time. */
export const readSummaries = async (work: Work, query: store.SummaryQuery): Promise<SummaryView[]> =>
  (await listSummaries(work, query)).map(toSummaryView);

/** Stored summaries, for aggregation. */
export const listSummaries = async (work: Work, query: store.SummaryQuery): Promise<Summary[]> =>
  assertNotTooMany(await store.listSummaries(work, query, SUMMARIES_MAX + 1));

/** Raw payloads, in the same order. */
export const listRawSummaries = async (work: Work, query: store.SummaryQuery): Promise<RawSummary[]> =>
  assertNotTooMany(await store.listRaw(work, query, SUMMARIES_MAX + 1));

function assertNotTooMany<T>(rows: T[]): T[] {
  if (rows.length <= SUMMARIES_MAX) return rows;
  throw new DomainError('bad_request', `There are more than ${SUMMARIES_MAX} summaries; request fewer days`);
}

/** Deletes summaries of a user by their provider's ids, with the streams of workouts. Returns what was deleted. */
export const deleteSummaries = (
  work: Work,
  userId: string,
  identities: readonly Omit<SummaryIdentity, 'userId'>[],
): Promise<Summary[]> =>
  store.deleteSummaries(
    work,
    userId,
    identities.map((identity) => deriveSummaryId({ userId, ...identity })),
  );

/** A summary by id; undefined also if its user is deleted. */
export const findSummary = (
  work: Work,
  resource: SummaryResource,
  id: string,
): Promise<Summary | undefined> => store.findSummary(work, resource, id);

/** A summary by its provider's id, with the provider's payload. */
export const findRawSummary = (work: Work, identity: SummaryIdentity): Promise<RawSummary | undefined> =>
  store.findRaw(work, deriveSummaryId(identity));

/** The newest stored data of a resource of a user. */
interface LastStored {
  readonly userId: string;
  readonly resource: string;
  readonly at: Date;
}

/** The last day with a summary, by user and resource, as midnight UTC. */
export const findLastDays = async (work: Work, wanted: store.LastDaysQuery): Promise<LastStored[]> =>
  (await store.listLastDays(work, wanted)).map(({ user_id: userId, resource, day }) => ({
    userId,
    resource,
    at: new Date(`${day}T00:00:00Z`),
  }));

/** Summaries of a user that begin within the same second as one of the times. */
export const listStartedSummaries = (work: Work, wanted: store.StartedSummariesQuery): Promise<Summary[]> =>
  wanted.times.length === 0 ? Promise.resolve([]) : store.listStarted(work, wanted);

/** The provider ids of the workouts in an interval whose streams are stored. */
export const listStreamedWorkouts = async (
  work: Work,
  wanted: store.StartedWorkoutsQuery,
): Promise<ReadonlySet<string>> => new Set(await store.listStreamed(work, wanted));

/** The provider ids of the workouts in an interval whose details were requested. */
export const listDetailedWorkouts = async (
  work: Work,
  wanted: store.StartedWorkoutsQuery,
): Promise<ReadonlySet<string>> => new Set(await details.listDetailed(work, wanted));

/** Stores the stream of an existing workout. The newest wins; `none` if it is unchanged. */
export async function putWorkoutStream(
  work: Work,
  workoutId: string,
  columns: StreamColumns,
): Promise<'created' | 'updated' | 'none'> {
  const stream = { workoutId, points: columns.time.length, columns: packStream(columns) };
  return (await streams.putStream(work, stream)) ?? 'none';
}

/** The stream of a workout; undefined if it has none. Callers must check access to the workout first. */
export async function readWorkoutStream(work: Work, workoutId: string): Promise<StreamColumns | undefined> {
  const packed = await streams.findStream(work, workoutId);
  return packed && unpackStream(packed);
}
