import type { z } from 'zod';
import { readTenant, type App, type Work } from '../../app.ts';
import { DAY, HOUR, isoTimestamp, later, MINUTE } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { parseTimestamp } from '../../platform/timestamp-input.ts';
import { countDuration, quantileOf } from './duration-histogram.ts';
import { getEndpoint } from './endpoints.ts';
import { isSuccess, type AttemptOutcome } from './outcome.ts';
import type { StatisticsBucket, StatisticsQuery, StatisticsView } from './statistics-schema.ts';
import * as store from './statistics-store.ts';

/** The resolution of what is stored. */
const STORED_BUCKET_MS = 15 * MINUTE;

// prettier-ignore
const BUCKET_MS: Readonly<Record<StatisticsBucket, number>> = {
  '15m': STORED_BUCKET_MS, '1h': HOUR, '6h': 6 * HOUR, '1d': DAY,
};
const RANGE_MAX_MS = 92 * DAY;
const POINTS_MAX = 1000;

interface CollectedStatistics extends Omit<store.StatisticsRow, 'succeeded' | 'failed'> {
  succeeded: number;
  failed: number;
  readonly answers: number[];
  readonly receipts: number[];
}

/** Counts recorded attempts and how long they took, in the transaction that records them. Test messages are left out. */
export async function countAttempts(tx: Tx, outcomes: readonly AttemptOutcome[]): Promise<void> {
  const rows = new Map<string, CollectedStatistics>();
  for (const outcome of outcomes) if (!outcome.claimed.event.test) collect(rows, outcome);
  if (rows.size > 0) await store.addStatistics(tx, [...rows.values()]);
}

function collect(
  rows: Map<string, CollectedStatistics>,
  { claimed, response, endedAt }: AttemptOutcome,
): void {
  const { row, event } = claimed;
  const at = endedAt.getTime() + row.clock_offset_ms;
  const bucket = at - (at % STORED_BUCKET_MS);
  const key = `${row.endpoint_id}/${bucket}`;
  const counted = rows.get(key) ?? {
    teamId: row.team_id,
    environment: row.environment,
    endpointId: row.endpoint_id,
    bucket: new Date(bucket),
    succeeded: 0,
    failed: 0,
    answers: [],
    receipts: [],
  };
  rows.set(key, counted);
  if (response.statusCode !== null) countDuration(counted.answers, response.durationMs);
  if (!isSuccess(response)) {
    counted.failed += 1;
    return;
  }
  counted.succeeded += 1;
  // A sandbox clock that was set back meanwhile would make it negative.
  countDuration(counted.receipts, Math.max(0, at - event.createdAt.getTime()));
}

/** The attempts of one endpoint over time. */
export const readStatistics = (
  app: App,
  tenant: Tenant,
  asked: { endpointId: string; query: StatisticsQuery },
) =>
  readTenant(app, tenant, async (work) => {
    await getEndpoint(work, asked.endpointId);
    const range = toRange(work, asked);
    const [counts, durations] = await Promise.all([
      store.listCountedAttempts(work, range),
      store.listCountedDurations(work, range),
    ]);
    return toStatisticsView(range, { counts, durations, bucket: asked.query.bucket });
  });

function toRange(
  { now }: Work,
  { endpointId, query }: { endpointId: string; query: StatisticsQuery },
): store.StatisticsRange {
  const bucketMs = BUCKET_MS[query.bucket];
  const current = now.getTime() - (now.getTime() % STORED_BUCKET_MS);
  const to = query.to ? parseTimestamp(query.to) : new Date(current + STORED_BUCKET_MS);
  const from = query.from ? parseTimestamp(query.from) : later(to, -query.hours * HOUR);
  const start = from.getTime() - (from.getTime() % bucketMs);
  if (from >= to) throw invalidField(['query', 'from'], 'expected a time before `to`');
  if (to.getTime() - from.getTime() > RANGE_MAX_MS)
    throw invalidField(['query', 'from'], 'expected a time at most 92 days before `to`');
  if ((to.getTime() - start) / bucketMs > POINTS_MAX)
    throw invalidField(['query', 'bucket'], `expected at most ${POINTS_MAX} buckets; choose a longer one`);
  return { endpointId, from: new Date(start), to, bucketMs };
}

interface ReadStatistics {
  readonly counts: readonly store.CountedAttempts[];
  readonly durations: readonly store.CountedDurations[];
  readonly bucket: StatisticsBucket;
}

function toStatisticsView(
  { from, to, bucketMs }: store.StatisticsRange,
  { counts, durations, bucket }: ReadStatistics,
): z.input<typeof StatisticsView> {
  const starts: number[] = [];
  for (let at = from.getTime(); at < to.getTime(); at += bucketMs) starts.push(at);
  const countOf = new Map(counts.map((counted) => [counted.at, counted]));
  const durationsOf = new Map<number, store.CountedDurations[]>();
  for (const counted of durations) {
    const ofBucket = durationsOf.get(counted.at);
    if (ofBucket) ofBucket.push(counted);
    else durationsOf.set(counted.at, [counted]);
  }
  return {
    from: isoTimestamp(from),
    to: isoTimestamp(to),
    bucket,
    total: summarize(counts, durations),
    data: starts.map((at) => {
      const counted = countOf.get(at);
      return {
        at: isoTimestamp(new Date(at)),
        ...summarize(counted ? [counted] : [], durationsOf.get(at) ?? []),
      };
    }),
  };
}

function summarize(counts: readonly store.CountedAttempts[], durations: readonly store.CountedDurations[]) {
  const quantiles = (kind: 'answers' | 'receipts') => {
    const steps: number[] = [];
    for (const counted of durations) {
      while (steps.length <= counted.step) steps.push(0);
      steps[counted.step] = (steps[counted.step] ?? 0) + counted[kind];
    }
    return { p50: quantileOf(steps, 0.5), p95: quantileOf(steps, 0.95) };
  };
  return {
    succeeded: counts.reduce((sum, { succeeded }) => sum + succeeded, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
    answer_ms: quantiles('answers'),
    receipt_ms: quantiles('receipts'),
  };
}
