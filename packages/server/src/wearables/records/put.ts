import type { Work } from '../../platform/work.ts';
import { upsertOrigin, type UpsertedSource } from '../samples/samples.ts';
import type { SummaryReading } from '../../readings/readings.ts';
import { findBodySchema, type SummaryBody } from './body-schemas.ts';
import type { WriteOutcome, Summary } from './record.ts';
import * as details from './detail-store.ts';
import * as store from './store.ts';
import { deriveSummaryId } from './summary-id.ts';

/** A summary with its stored source. */
interface SourcedSummary {
  readonly reading: SummaryReading;
  readonly source: UpsertedSource;
}

export interface PutSummaryResult {
  readonly id: string;
  readonly change: WriteOutcome;
  /** The stored summary; null if nothing changed. */
  readonly summary: Summary | null;
}

/**
 * Stores summaries of an existing user. Of summaries with the same id the last one wins, within the call and over
 * stored ones; an unchanged summary is not written. Returns one result per id.
 */
export async function putSummaries(
  work: Work,
  userId: string,
  given: readonly SourcedSummary[],
): Promise<PutSummaryResult[]> {
  const rows = new Map(given.map((one) => [getSummaryId(userId, one.reading), one]));
  if (rows.size === 0) return [];
  const kept = await readKeptFields(work, rows);
  const fresh = [...rows].map(([id, { reading, source }]) => ({
    id,
    reading,
    source,
    body: withKeptFields(parseBody(reading), kept.get(id) ?? {}),
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
  const detailed = fresh.filter(({ reading }) => reading.detail?.isRead === true);
  await details.markDetailed(
    work,
    detailed.map(({ id }) => id),
  );
  const changes = new Map(put.map((row) => [row.id, row]));
  return fresh.map(({ id, reading, source, body }) => {
    const row = changes.get(id);
    if (!row) return { id, change: 'none', summary: null };
    const { created_at, updated_at, change } = row;
    const summary = { ...toRow(userId, reading, source), id, body, created_at, updated_at };
    return { id, change, summary };
  });
}

const toRow = (userId: string, { resource, key, day, at }: SummaryReading, source: UpsertedSource) => ({
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

/**
 * The stored values of the fields that only a detail has, by summary. The sources were upserted in this transaction,
 * so that it holds the user's sample lock: no concurrent pull writes a value between this read and the write.
 */
async function readKeptFields(
  work: Work,
  rows: ReadonlyMap<string, SourcedSummary>,
): Promise<ReadonlyMap<string, SummaryBody>> {
  const ids = [...rows].flatMap(([id, { reading }]) => (reading.detail ? [id] : []));
  const kept = new Map<string, SummaryBody>();
  for (const { id, body } of await details.listBodies(work, ids)) {
    const fields = new Set(rows.get(id)?.reading.detail?.fields);
    kept.set(id, Object.fromEntries(Object.entries(body).filter(([name]) => fields.has(name))));
  }
  return kept;
}

const withKeptFields = (body: SummaryBody, kept: SummaryBody): SummaryBody => ({
  ...body,
  ...Object.fromEntries(Object.entries(kept).filter(([name]) => body[name] == null)),
});

const getSummaryId = (userId: string, { resource, origin: { provider }, key }: SummaryReading): string =>
  deriveSummaryId({ userId, resource, provider, key });

/** Parses the body. Ingestion has validated it, so this does not fail. */
function parseBody({ resource, origin, body }: SummaryReading): SummaryBody {
  const read = findBodySchema(resource)?.parse(body);
  if (!read) throw new Error(`${resource} is not a summary resource`);
  return resource === 'electrocardiogram'
    ? { ...read, source_device_model: origin.device?.model ?? null }
    : read;
}

/** Same for one summary; its source is created if necessary. */
export async function putSummary(
  work: Work,
  userId: string,
  reading: SummaryReading,
): Promise<PutSummaryResult> {
  const source = await upsertOrigin(work, userId, { ...reading.origin, workout: null });
  const [put] = await putSummaries(work, userId, [{ reading, source }]);
  if (!put) throw new Error('Storing a summary returned no result');
  return put;
}
