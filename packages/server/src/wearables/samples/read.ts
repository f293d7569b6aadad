import { invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type { HealthSample, SampledResource } from '../../readings/readings.ts';
import type { StoredSample } from './chunk.ts';
import { listSources } from './origin-store.ts';
import { toStoredSource } from './origins.ts';
import type { StoredSource } from './stored.ts';
import { openStream, type StreamReader } from './stream-reader.ts';
import { listStreams, type SampleStreamRow } from './stream-store.ts';

export interface SampleQuery {
  readonly userId: string;
  readonly resource: SampledResource;
  /** The slug of a provider; all providers if absent. */
  readonly provider?: string | undefined;
  /** Only for cholesterol, which is stored by type. */
  readonly type?: string | undefined;
  /** Milliseconds since 1970; `to` is exclusive. */
  readonly from: number;
  readonly to: number;
  readonly limit: number;
  /** The `next` of the previous page. */
  readonly after?: string | undefined;
}

interface SampleGroup {
  readonly source: StoredSource;
  readonly samples: HealthSample[];
}

export interface SamplePage {
  readonly groups: SampleGroup[];
  readonly next: string | null;
}

/** The maximum number of rows per query. */
const ROWS_PER_READ = 5000;

export async function readPage(work: Work, query: SampleQuery): Promise<SamplePage> {
  const after = query.after === undefined ? undefined : parseCursor(query.after);
  const rowsAtOnce = Math.min(query.limit + 1, ROWS_PER_READ);
  const streams = await listStreams(work, query);
  const readers = streams.map((stream) =>
    openStream(work, stream, { from: getStart(stream, query, after), to: query.to, rowsAtOnce }),
  );
  const { samples, last } = await takeSamples(readers, query.limit);
  await fillReaders(readers, 1);
  const isMore = readers.some(({ head }) => head !== undefined);
  return { groups: await groupBySource(work, samples), next: isMore && last ? formatCursor(last) : null };
}

interface SamplePosition {
  readonly at: number;
  readonly streamId: number;
}

/** Samples with equal timestamps are ordered by stream id. */
function getStart(stream: SampleStreamRow, { from }: SampleQuery, after: SamplePosition | undefined): number {
  if (!after) return from;
  return Math.max(from, stream.id <= after.streamId ? after.at + 1 : after.at);
}

const fillReaders = (readers: readonly StreamReader[], most: number) =>
  Promise.all(readers.map((reader) => (reader.head ? undefined : reader.more(most))));

interface SampleSelection {
  readonly samples: StoredSample[];
  last: SamplePosition | undefined;
}

async function takeSamples(readers: readonly StreamReader[], limit: number): Promise<SampleSelection> {
  const taken: SampleSelection = { samples: [], last: undefined };
  while (taken.samples.length < limit) {
    await fillReaders(readers, limit - taken.samples.length + 1);
    const live = readers.filter(({ head }) => head !== undefined);
    if (live.length === 0) break;
    const [only] = live;
    if (only && live.length === 1) takeFrom(only, limit - taken.samples.length, taken);
    else while (taken.samples.length < limit && live.every(({ head }) => head)) takeEarliest(live, taken);
  }
  return taken;
}

function takeFrom(reader: StreamReader, count: number, taken: SampleSelection): void {
  for (const sample of reader.take(count)) taken.samples.push(sample);
  const at = taken.samples.at(-1)?.at;
  if (at !== undefined) taken.last = { at, streamId: reader.stream.id };
}

/** Ties go to the first reader. */
function takeEarliest(readers: readonly StreamReader[], taken: SampleSelection): void {
  const atOf = ({ head }: StreamReader) => head?.at ?? Infinity;
  const earliest = readers.reduce((first, each) => (atOf(each) < atOf(first) ? each : first));
  takeFrom(earliest, 1, taken);
}

async function groupBySource(work: Work, samples: StoredSample[]): Promise<SampleGroup[]> {
  const bySource = groupBySourceId(samples);
  if (bySource.size === 0) return [];
  const sources = await listSources(work, [...bySource.keys()]);
  return sources.map((row) => ({ source: toStoredSource(row), samples: bySource.get(row.id) ?? [] }));
}

function groupBySourceId(samples: StoredSample[]): Map<number, StoredSample[]> {
  const first = samples[0]?.sourceId;
  if (first !== undefined && samples.every(({ sourceId }) => sourceId === first))
    return new Map([[first, samples]]);
  const bySource = new Map<number, StoredSample[]>();
  for (const sample of samples) {
    const same = bySource.get(sample.sourceId);
    if (same) same.push(sample);
    else bySource.set(sample.sourceId, [sample]);
  }
  return bySource;
}

const formatCursor = ({ at, streamId }: SamplePosition): string =>
  Buffer.from(`${at}/${streamId}`).toString('base64url');

const CURSOR = /^(-?\d{1,16})\/(\d{1,10})$/;

function parseCursor(text: string): SamplePosition {
  const [, at, streamId] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  if (at === undefined || streamId === undefined)
    throw invalidField(
      ['query', 'next_cursor'],
      'expected the next_cursor of an earlier response of this list',
    );
  return { at: Number(at), streamId: Number(streamId) };
}
