import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { StreamColumns, SummedResource } from '../readings.ts';
import type { RawSummary, Summary } from './record.ts';
import { packStream, unpackStream } from './stream-columns.ts';
import * as store from './store.ts';
import * as streams from './stream-store.ts';
import { viewSummary, type SummaryView } from './view.ts';

export { bodySchema, SUMMED_RESOURCES, type Body } from './bodies.ts';
export { lenient, part, wordsOf } from './lenient.ts';
export { putSummaries, putSummary, type PutSummary, type SourcedSummary } from './put.ts';
export type { Change, RawSummary, Summary } from './record.ts';
export type { SummaryQuery } from './store.ts';
export { STREAM_COLUMNS } from './stream-columns.ts';
export { summaryIdOf } from './summary-id.ts';
export { sourceOf, viewSummary, type SummaryView } from './view.ts';

/** The most summaries that one question answers; more is refused, because half an answer would look like a whole one. */
const SUMMARIES_MAX = 10_000;

/** Summaries of these days as the contract shows them, in the order of days and then of time. */
export const readSummaries = async (work: Work, query: store.SummaryQuery): Promise<SummaryView[]> =>
  (await listSummaries(work, query)).map(viewSummary);

/** The same as they are kept, for who adds them up. */
export const listSummaries = async (work: Work, query: store.SummaryQuery): Promise<Summary[]> =>
  notTooMany(await store.listSummaries(work, query, SUMMARIES_MAX + 1));

/** What the providers sent, in the same order. */
export const readRaw = async (work: Work, query: store.SummaryQuery): Promise<RawSummary[]> =>
  notTooMany(await store.listRaw(work, query, SUMMARIES_MAX + 1));

function notTooMany<T>(rows: T[]): T[] {
  if (rows.length <= SUMMARIES_MAX) return rows;
  throw new DomainError('bad_request', `There are more than ${SUMMARIES_MAX}: ask for fewer days`);
}

/** A summary by its id; undefined too where its user is deleted. */
export const findSummary = (work: Work, resource: SummedResource, id: string): Promise<Summary | undefined> =>
  store.findSummary(work, resource, id);

/** Up to where something of a user is kept. */
export interface LastOf {
  readonly userId: string;
  readonly resource: string;
  readonly at: Date;
}

/** Of these users the last day since then that a provider told of, resource by resource; its midnight in UTC. */
export const lastDays = async (work: Work, wanted: store.LastWanted): Promise<LastOf[]> =>
  (await store.listLastDays(work, wanted)).map(({ user_id: userId, resource, day }) => ({
    userId,
    resource,
    at: new Date(`${day}T00:00:00Z`),
  }));

/** The workouts of a time, by the ids of their provider, whose streams are kept. */
export const streamedWorkouts = async (
  work: Work,
  wanted: store.StreamedWanted,
): Promise<ReadonlySet<string>> => new Set(await store.listStreamed(work, wanted));

/** Keeps the stream of a workout that is there. The newest wins, and the same again is `none`. */
export async function putWorkoutStream(
  work: Work,
  workoutId: string,
  columns: StreamColumns,
): Promise<'created' | 'updated' | 'none'> {
  const stream = { workoutId, points: columns.time.length, columns: packStream(columns) };
  return (await streams.putStream(work, stream)) ?? 'none';
}

/** The stream of a workout; undefined where it has none. That the workout is the caller's to see is asked before. */
export async function readWorkoutStream(work: Work, workoutId: string): Promise<StreamColumns | undefined> {
  const packed = await streams.findStream(work, workoutId);
  return packed && unpackStream(packed);
}
