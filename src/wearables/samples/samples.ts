import type { Work } from '../../platform/work.ts';
import type { Origin, SampledResource, SampleReading } from '../readings.ts';
import { viewDevice } from './devices.ts';
import * as origins from './origin-store.ts';
import { sourceIn, type Known } from './origins.ts';
import { put, type Put } from './put.ts';
import { readPage, type SamplePage, type SampleQuery } from './read.ts';
import type { DeviceChange, FoundSource } from './stored.ts';
import { listExtents, listLastMoments, type LastWanted } from './stream-store.ts';

// Samples of users: taken in, kept in segments, rows and then in chunks, and read as if there were only samples.

export { foldSamples } from './fold.ts';
export type { Known } from './origins.ts';
export type { Put } from './put.ts';
export type { SampleGroup, SamplePage, SampleQuery } from './read.ts';
export type { DeviceChange, FoundSource, StoredSource } from './stored.ts';
export { viewSample, viewSource } from './view.ts';

/**
 * Takes in samples of one resource and one origin of a user who is there. The newest value of a moment wins, the last
 * one of those that come together; what says what was said already is left out of the answer. Until the work ends,
 * others who bring samples of this user wait.
 */
export const putSamples = (
  work: Work,
  userId: string,
  reading: SampleReading & Partial<Known>,
): Promise<Put> => put(work, userId, reading);

/** Finds or makes the source and the device of an origin, and says whether the device is new or changed. */
export const originIn = (work: Work, userId: string, origin: Origin & Partial<Known>): Promise<FoundSource> =>
  sourceIn(work, userId, origin);

/**
 * A page in the order of time, grouped by source: sources in the order of their ids, the samples of each in time order.
 * A cursor that is none is a 422.
 */
export const readSamples = (work: Work, query: SampleQuery): Promise<SamplePage> => readPage(work, query);

/** What is there of a resource from one provider and source type, and over what time. */
export interface Extent {
  readonly resource: SampledResource;
  /** Of cholesterol; else null. */
  readonly type: string | null;
  readonly provider: string;
  readonly sourceType: string;
  /** The first and the last moment, in milliseconds since 1970. */
  readonly first: number;
  readonly last: number;
}

/** Everything that there is of a user, resource by resource. */
export async function firstAndLast(work: Work, userId: string): Promise<Extent[]> {
  const rows = await listExtents(work, userId);
  return rows.flatMap(({ resource, type, provider, source_type: sourceType, first, last }) =>
    first === null || last === null
      ? []
      : [{ resource: resource as SampledResource, type: type || null, provider, sourceType, first, last }],
  );
}

/** Up to where something of a user is kept. */
export interface LastSample {
  readonly userId: string;
  readonly resource: string;
  readonly at: Date;
}

/** Of these users the last moment of what a provider measured, resource by resource. */
export const lastMoments = async (work: Work, wanted: LastWanted): Promise<LastSample[]> =>
  (await listLastMoments(work, wanted)).map(({ user_id: userId, resource, last }) => ({
    userId,
    resource,
    at: new Date(last),
  }));

/** Nobody wears more; a page of them is not asked for by the contract. */
const DEVICES_MAX = 1000;

type DeviceView = DeviceChange['device'];

/** The devices of a user, those that were seen first before. */
export const devicesOf = async (work: Work, userId: string): Promise<DeviceView[]> =>
  (await origins.listDevices(work, userId, DEVICES_MAX)).map((row) => viewDevice(work, row));

/** A device of a user; undefined when there is none. */
export async function findDevice(work: Work, userId: string, id: string): Promise<DeviceView | undefined> {
  const row = await origins.findDeviceById(work, userId, id);
  return row && viewDevice(work, row);
}
