import type { Work } from '../../platform/work.ts';
import type { ReadingOrigin, SampledResource, SampleReading } from '../../readings/readings.ts';
import { deleteRange, type SampleDeletion } from './delete.ts';
import { toDeviceView } from './devices.ts';
import * as origins from './origin-store.ts';
import { upsertSource, type KnownWorkout } from './origins.ts';
import { put, type PutSamplesResult } from './put.ts';
import { readPage, type SamplePage, type SampleQuery } from './read.ts';
import type { DeviceChange, UpsertedSource } from './stored.ts';
import { listExtents, listLastTimestamps, type LastTimestampsQuery } from './stream-store.ts';

// The sample store. Writes go to segments and rows (uncompacted); compaction moves closed days into chunks. Reads merge
// all three: a row overrides a segment, and a segment overrides a chunk. All content except times is encrypted.

export { compactSamples } from './compact.ts';
export type { SampleDeletion } from './delete.ts';
export { lockSamples } from './origin-store.ts';
export type { PutSamplesResult } from './put.ts';
export type { SamplePage, SampleQuery } from './read.ts';
export type { UpsertedSource, StoredSource } from './stored.ts';
export { countReceived } from './tally-store.ts';
export { toSampleView, toSourceView } from './view.ts';

/**
 * Stores samples of one resource and origin of an existing user. The last value of a timestamp wins. Unchanged samples
 * are not in the result. Holds the user's sample lock until the transaction ends.
 */
export const putSamples = (
  work: Work,
  userId: string,
  reading: SampleReading & Partial<KnownWorkout>,
): Promise<PutSamplesResult> => put(work, userId, reading);

/**
 * Deletes the samples of a user in a time range, from all sources of a provider or from those of one workout.
 * Idempotent. Holds the user's sample lock until the transaction ends.
 */
export const deleteSamples = (work: Work, userId: string, deletion: SampleDeletion): Promise<void> =>
  deleteRange(work, userId, deletion);

/** Finds or creates the source and device of an origin. The result says whether the device is new or changed. */
export const upsertOrigin = (
  work: Work,
  userId: string,
  origin: ReadingOrigin & Partial<KnownWorkout>,
): Promise<UpsertedSource> => upsertSource(work, userId, origin);

/**
 * A page of samples in time order, grouped by source: oldest source first, samples by time. 422 for an invalid cursor.
 */
export const readSamples = (work: Work, query: SampleQuery): Promise<SamplePage> => readPage(work, query);

/** The extent of the samples of a resource from one provider and source type. */
interface StreamExtent {
  readonly resource: SampledResource;
  /** Only for cholesterol; otherwise null. */
  readonly type: string | null;
  readonly provider: string;
  readonly sourceType: string;
  /** The first and the last timestamp, in milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

/** The extents of all samples of a user. */
export async function listStreamExtents(work: Work, userId: string): Promise<StreamExtent[]> {
  const rows = await listExtents(work, userId);
  return rows.flatMap(({ resource, type, provider, source_type: sourceType, first, last }) =>
    first === null || last === null
      ? []
      : [{ resource: resource as SampledResource, type: type || null, provider, sourceType, first, last }],
  );
}

/** The newest sample of a resource of a user. */
interface LastSampleTime {
  readonly userId: string;
  readonly resource: string;
  readonly at: Date;
}

/** The newest sample of a provider, by user and resource. */
export const findLastSampleTimes = async (
  work: Work,
  wanted: LastTimestampsQuery,
): Promise<LastSampleTime[]> =>
  (await listLastTimestamps(work, wanted)).map(({ user_id: userId, resource, last }) => ({
    userId,
    resource,
    at: new Date(last),
  }));

/** A safety limit: the contract has no pagination here. */
const DEVICES_MAX = 1000;

type DeviceView = DeviceChange['device'];

/** The devices of a user, oldest first. */
export const listDevices = async (work: Work, userId: string): Promise<DeviceView[]> =>
  (await origins.listDevices(work, userId, DEVICES_MAX)).map((row) => toDeviceView(work, row));

/** A device of a user; undefined if there is none. */
export async function findDevice(work: Work, userId: string, id: string): Promise<DeviceView | undefined> {
  const row = await origins.findDeviceById(work, userId, id);
  return row && toDeviceView(work, row);
}
