import type { Work } from '../../platform/work.ts';
import { originIn, type FoundSource } from '../samples/samples.ts';
import type { SummaryReading } from '../readings.ts';
import { bodySchema, type Body } from './bodies.ts';
import type { Change, Summary } from './record.ts';
import * as store from './store.ts';
import { summaryIdOf } from './summary-id.ts';

/** A summary with the source that it was found to come from. */
export interface SourcedSummary {
  readonly reading: SummaryReading;
  readonly source: FoundSource;
}

export interface PutSummary {
  readonly id: string;
  readonly change: Change;
  /** As it is now; null where nothing changed, which nobody reads again. */
  readonly summary: Summary | null;
}

/**
 * Keeps summaries of one user who is there. The last one wins of those that are the same, in here and of those that
 * were there before; what says what was said already is left as it is. One answer for each id.
 */
export async function putSummaries(
  work: Work,
  userId: string,
  given: readonly SourcedSummary[],
): Promise<PutSummary[]> {
  const rows = new Map(given.map((one) => [idOf(userId, one.reading), one]));
  if (rows.size === 0) return [];
  const fresh = [...rows].map(([id, { reading, source }]) => ({
    id,
    reading,
    source,
    body: bodyOf(reading),
  }));
  const put = await store.putSummaries(
    work,
    userId,
    fresh.map(({ id, reading, source, body }) => ({
      id,
      resource: reading.resource,
      provider: reading.origin.provider,
      key: reading.key,
      sourceId: source.id,
      sourceType: source.type,
      appId: source.appId,
      deviceId: source.deviceId,
      day: reading.day,
      at: new Date(reading.at),
      body: JSON.stringify(body),
      raw: reading.raw && JSON.stringify(reading.raw),
    })),
  );
  const changes = new Map(put.map((row) => [row.id, row]));
  return fresh.map(({ id, reading, source, body }) => {
    const row = changes.get(id);
    if (!row) return { id, change: 'none', summary: null };
    const { created_at, updated_at, change } = row;
    const summary = { ...rowOf(userId, reading, source), id, body, created_at, updated_at };
    return { id, change, summary };
  });
}

const rowOf = (userId: string, { resource, key, day, at }: SummaryReading, source: FoundSource) => ({
  user_id: userId,
  resource,
  provider: source.provider,
  key,
  source_id: source.id,
  source_type: source.type,
  app_id: source.appId,
  device_id: source.deviceId,
  day,
  at: new Date(at),
});

const idOf = (userId: string, { resource, origin: { provider }, key }: SummaryReading): string =>
  summaryIdOf({ userId, resource, provider, key });

/** The body as its resource reads it. Who takes readings in has checked it, so that it fits here. */
function bodyOf({ resource, origin, body }: SummaryReading): Body {
  const read = bodySchema(resource)?.parse(body);
  if (!read) throw new Error(`${resource} is not told as a whole`);
  return resource === 'electrocardiogram'
    ? { ...read, source_device_model: origin.device?.model ?? null }
    : read;
}

/** The same for one, its source found or made. */
export async function putSummary(work: Work, userId: string, reading: SummaryReading): Promise<PutSummary> {
  const source = await originIn(work, userId, { ...reading.origin, workout: null });
  const [put] = await putSummaries(work, userId, [{ reading, source }]);
  if (!put) throw new Error('One summary was put, and none came back');
  return put;
}
