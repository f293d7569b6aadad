import { invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { Sample, SampledResource } from '../readings.ts';
import type { KeptSample } from './chunk.ts';
import { listSources } from './origin-store.ts';
import { storedSource } from './origins.ts';
import type { StoredSource } from './stored.ts';
import { openStream, type StreamReader } from './stream-reader.ts';
import { listStreams, type StreamRow } from './stream-store.ts';

export interface SampleQuery {
  readonly userId: string;
  readonly resource: SampledResource;
  /** The slug of a provider; all of them where it is left out. */
  readonly provider?: string | undefined;
  /** Of cholesterol, which is kept by type. */
  readonly type?: string | undefined;
  /** Milliseconds since 1970; `to` is the first that is not wanted. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  /** The `next` of the page before. */
  readonly after?: string | undefined;
}

export interface SampleGroup {
  readonly source: StoredSource;
  readonly samples: Sample[];
}

export interface SamplePage {
  readonly groups: SampleGroup[];
  readonly next: string | null;
}

/** Rows that are read at a time, at most. */
const ROWS_AT_ONCE = 5000;

export async function readPage(work: Work, query: SampleQuery): Promise<SamplePage> {
  const after = query.after === undefined ? undefined : readCursor(query.after);
  const rowsAtOnce = Math.min(query.limit + 1, ROWS_AT_ONCE);
  const streams = await listStreams(work, query);
  const readers = streams.map((stream) =>
    openStream(work, stream, { from: startOf(stream, query, after), to: query.to, rowsAtOnce }),
  );
  const { samples, last } = await take(readers, query.limit);
  await fill(readers, 1);
  const isMore = readers.some(({ head }) => head !== undefined);
  return { groups: await grouped(work, samples), next: isMore && last ? cursorOf(last) : null };
}

interface Place {
  readonly at: number;
  readonly streamId: number;
}

/** Samples of one moment are in the order of their streams. */
function startOf(stream: StreamRow, { from }: SampleQuery, after: Place | undefined): number {
  if (!after) return from;
  return Math.max(from, stream.id <= after.streamId ? after.at + 1 : after.at);
}

const fill = (readers: readonly StreamReader[], most: number) =>
  Promise.all(readers.map((reader) => (reader.head ? undefined : reader.more(most))));

interface TakenSamples {
  readonly samples: KeptSample[];
  last: Place | undefined;
}

async function take(readers: readonly StreamReader[], limit: number): Promise<TakenSamples> {
  const taken: TakenSamples = { samples: [], last: undefined };
  while (taken.samples.length < limit) {
    await fill(readers, limit - taken.samples.length + 1);
    const live = readers.filter(({ head }) => head !== undefined);
    if (live.length === 0) break;
    const [only] = live;
    if (only && live.length === 1) takeOf(only, limit - taken.samples.length, taken);
    else while (taken.samples.length < limit && live.every(({ head }) => head)) takeEarliest(live, taken);
  }
  return taken;
}

function takeOf(reader: StreamReader, count: number, taken: TakenSamples): void {
  for (const sample of reader.take(count)) taken.samples.push(sample);
  const at = taken.samples.at(-1)?.at;
  if (at !== undefined) taken.last = { at, streamId: reader.stream.id };
}

/** Of two of one moment the first reader's. */
function takeEarliest(readers: readonly StreamReader[], taken: TakenSamples): void {
  const atOf = ({ head }: StreamReader) => head?.at ?? Infinity;
  const earliest = readers.reduce((first, each) => (atOf(each) < atOf(first) ? each : first));
  takeOf(earliest, 1, taken);
}

async function grouped(work: Work, samples: KeptSample[]): Promise<SampleGroup[]> {
  const bySource = bySourceId(samples);
  if (bySource.size === 0) return [];
  const sources = await listSources(work, [...bySource.keys()]);
  return sources.map((row) => ({ source: storedSource(row), samples: bySource.get(row.id) ?? [] }));
}

function bySourceId(samples: KeptSample[]): Map<number, KeptSample[]> {
  const first = samples[0]?.sourceId;
  if (first !== undefined && samples.every(({ sourceId }) => sourceId === first))
    return new Map([[first, samples]]);
  const bySource = new Map<number, KeptSample[]>();
  for (const sample of samples) {
    const same = bySource.get(sample.sourceId);
    if (same) same.push(sample);
    else bySource.set(sample.sourceId, [sample]);
  }
  return bySource;
}

const cursorOf = ({ at, streamId }: Place): string => Buffer.from(`${at}/${streamId}`).toString('base64url');

const CURSOR = /^(-?\d{1,16})\/(\d{1,10})$/;

function readCursor(text: string): Place {
  const [, at, streamId] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (at === undefined || streamId === undefined)
    throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
  return { at: Number(at), streamId: Number(streamId) };
}
