import { DomainError } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import type {
  ReadingOrigin,
  SampledResource,
  SampleReading,
  SummaryResource,
  WorkoutStreamReading,
} from '../../readings/readings.ts';
import {
  sumCounts,
  isFault,
  ingestInTransaction,
  REFUSALS_MAX,
  findSampleSpec,
  type IngestionFault,
  type IngestionResult,
} from '../ingestion/ingestion.ts';
import type { PhonePushResult } from '../phone/phone.ts';
import { deriveActivity } from './derive-activity.ts';
import { parseItems, toRefusal, type ParsedItem, type ParsedItems } from './items.ts';
import { parseSample } from './sample-items.ts';
import type { PushItems, PushResult, PushRefusal } from './schema.ts';
import { parseStream } from './stream-items.ts';
import { toItemField, parseSummary, type ParsedSummary } from './summary-items.ts';

/** Ingests pushed samples. Faults are reported per item; valid items are stored. */
export async function pushSamples(
  work: Work,
  { userId, resource }: { readonly userId: string; readonly resource: SampledResource },
  batch: PushItems,
): Promise<PushResult> {
  const form = findSampleSpec(resource);
  if (!form) throw new Error(`The resource ${resource} has no samples`);
  const { read, refused } = parseItems(batch, (item) => parseSample(form, item));
  const groups = [...groupByOrigin(read)];
  const readings = groups.map(([origin, items]): SampleReading => {
    const samples = items.map(({ value }) => value);
    return { kind: 'samples', resource, origin, samples };
  });
  const taken = await ingestInTransaction(work, userId, readings, { emitEvents: true });
  const { created, updated } = sumCounts(taken);
  if (created + updated > 0) await deriveActivity(work, userId, readings);
  const later = taken.refused.map(({ reading, loc: [, place, ...loc], msg, type }) =>
    toRefusal(groups[reading]?.[1][Number(place)]?.index ?? 0, { loc, msg, type }),
  );
  return toPushResult(batch.data.length, taken, [...refused, ...later]);
}

function groupByOrigin<T>(items: readonly ParsedItem<T>[]): Map<ReadingOrigin, ParsedItem<T>[]> {
  const groups = new Map<ReadingOrigin, ParsedItem<T>[]>();
  for (const item of items) {
    const group = groups.get(item.origin);
    if (group) group.push(item);
    else groups.set(item.origin, [item]);
  }
  return groups;
}

/** The result of a push of a mobile SDK. It is no error if nothing could be stored: the SDK would send it for ever. */
export function toPhoneResult({ received, taken, faults }: PhonePushResult): PushResult {
  const { workout_stream: _streams, ...counts } = taken.counts;
  const refused = faults.map(({ index, ...fault }) => toRefusal(index, fault));
  const later = taken.refused.map(({ reading, loc, msg, type }) => toRefusal(reading, { loc, msg, type }));
  const all = [...refused, ...later];
  const refusedCount = all.length + taken.refusedCount - taken.refused.length;
  return {
    received,
    ...sumCounts({ counts }),
    refused: all.slice(0, REFUSALS_MAX),
    refused_count: refusedCount,
  };
}

/** Same for summaries. Workouts may include a stream; an invalid stream is rejected without its workout. */
export async function pushSummaries(
  work: Work,
  { userId, resource }: { readonly userId: string; readonly resource: SummaryResource },
  batch: PushItems,
): Promise<PushResult> {
  const { read, refused } = parseItems(batch, (item, origin) =>
    parseSummary(item, { resource, origin, now: work.now }),
  );
  const streams = resource === 'workouts' ? parseStreams(read) : { read: [], refused: [] };
  const items = [...read, ...streams.read];
  const readings = items.map(({ value }) => value.reading);
  const taken = await ingestInTransaction(work, userId, readings, { emitEvents: true });
  const later = taken.refused.map(({ reading, resource: of, loc, msg, type }) =>
    toRefusal(items[reading]?.index ?? 0, { loc: toItemPath(resource, of, loc), msg, type }),
  );
  return toPushResult(batch.data.length, taken, [...refused, ...streams.refused, ...later]);
}

/** Parses the streams of the workouts that have one. */
function parseStreams(
  workouts: readonly ParsedItem<ParsedSummary>[],
): ParsedItems<{ reading: WorkoutStreamReading }> {
  const read: ParsedItem<{ reading: WorkoutStreamReading }>[] = [];
  const refused: PushRefusal[] = [];
  for (const { index, origin, value } of workouts) {
    if (value.stream === undefined || value.stream === null) continue;
    const columns = parseStream(value.stream);
    if (isFault(columns)) refused.push(toRefusal(index, columns));
    else {
      const workoutKey = value.reading.key;
      read.push({
        index,
        origin,
        value: { reading: { kind: 'workout_stream', origin, workoutKey, columns } },
      });
    }
  }
  return { read, refused };
}

/** The path of a fault within the item. */
function toItemPath(
  resource: SummaryResource,
  of: string,
  [field = '', ...loc]: IngestionFault['loc'],
): IngestionFault['loc'] {
  if (of !== 'workout_stream') return field === 'body' ? [] : [toItemField(resource, field), ...loc];
  return field === 'workoutKey' ? ['stream'] : ['stream', field, ...loc];
}

/** 422 if nothing could be stored, so that clients that send one item and ignore the response body notice. */
function toPushResult(received: number, taken: IngestionResult, faults: readonly PushRefusal[]): PushResult {
  const { workout_stream: streams, ...others } = taken.counts;
  const { created, updated, unchanged } = sumCounts({ counts: others });
  const refused = faults.toSorted((one, other) => one.index - other.index).slice(0, REFUSALS_MAX);
  const isNothing = Object.values(sumCounts(taken)).every((count) => count === 0);
  if (isNothing && refused.length > 0)
    throw new DomainError(
      'invalid',
      refused.map(({ index, loc, msg, type }) => ({ loc: ['body', 'data', index, ...loc], msg, type })),
    );
  const more = taken.refusedCount - taken.refused.length;
  const counts = { received, created, updated, unchanged, ...(streams && { streams }) };
  return { ...counts, refused, refused_count: faults.length + more };
}
