import type { App } from '../../app.ts';
import { pushesHistoricalData } from '../../delivery/pipelines/pipelines.ts';
import type { EventSubject } from '../../events/events.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { toBatches, type IngestionPiece } from './batches.ts';
import { checkBatch } from './check.ts';
import type { IngestionWindow } from './fault.ts';
import { recordPendingHistory } from './history.ts';
import { storeSamples, storeStreams, storeSummaries, type IngestionContext } from './store-readings.ts';
import { ChangedSpans } from './spans.ts';
import { shareLockUser, type IngestionUser } from './store.ts';
import { addResults, EMPTY_RESULT, REFUSALS_MAX, type IngestionResult } from './result.ts';

export { isFault } from './check-samples.ts';
export { createFault, type IngestionFault } from './fault.ts';
export { emitAbandonedEvents, emitHistoryEvent, emitPendingEvents } from './history.ts';
export { TIMESERIES_PATHS, getResourceByPath, findSampleSpec, type SampleSpec } from './sample-specs.ts';
export {
  addResults,
  sumCounts,
  REFUSALS_MAX,
  type IngestionCount,
  type IngestionRefusal,
  type IngestionResult,
} from './result.ts';

interface IngestOptions {
  /**
   * Whether to emit an event per change. False for history pulls. `in sum` emits one event per resource at the end of
   * the import, by `emitPendingEvents`, or after a timeout if the import is abandoned. A team whose pipeline pushes
   * historical data gets an event per change in every case.
   */
  readonly emitEvents: boolean | 'in sum';
}

/** Limits how long a transaction holds locks, and how much work is repeated after a crash. */
const SAMPLES_PER_TRANSACTION = 5000;

/**
 * Ingests readings of one user from a provider, a file or an app: streaming, in batches of a transaction each, which
 * also contains the events. Idempotent: repeated readings change nothing and emit nothing, so an import can be
 * restarted after a crash. Invalid parts are refused individually; the others are stored. 404 if the user is missing or
 * deleted.
 */
// oxlint-disable-next-line max-params
export async function ingest(
  app: App,
  { tenant, userId }: { readonly tenant: Tenant; readonly userId: string },
  readings: AsyncIterable<HealthReading> | Iterable<HealthReading>,
  how: IngestOptions,
): Promise<IngestionResult> {
  let taken = EMPTY_RESULT;
  for await (const batch of toBatches(readings, SAMPLES_PER_TRANSACTION)) {
    const more = await inTenant(app, tenant, (work) => ingestBatch(work, { userId, batch, how }));
    taken = addResults(taken, more);
  }
  return taken;
}

/** Same, inside a transaction. Pass at most about ten thousand samples. */
// oxlint-disable-next-line max-params
export const ingestInTransaction = (
  work: Work,
  userId: string,
  readings: readonly HealthReading[],
  how: IngestOptions,
): Promise<IngestionResult> =>
  ingestBatch(work, {
    userId,
    batch: readings.map((reading, index) => ({ reading, index, before: 0 })),
    how,
  });

interface IngestionBatch {
  readonly userId: string;
  readonly batch: readonly IngestionPiece[];
  readonly how: IngestOptions;
}

async function ingestBatch(work: Work, { userId, batch, how }: IngestionBatch): Promise<IngestionResult> {
  const holder = requireFound(await shareLockUser(work, userId), 'User');
  const { samples, summaries, streams, refused } = checkBatch(batch, toWindow(work, holder));
  const spans = new ChangedSpans();
  const keeping: IngestionContext = {
    userId: holder.id,
    subject: toSubject(holder),
    emitEvents: how.emitEvents === true || (await pushesHistoricalData(work)),
    spans,
  };
  // Workouts must be stored before their samples and streams.
  const keptSummaries = await storeSummaries(work, keeping, summaries);
  const keptSamples = await storeSamples(work, keeping, samples);
  const keptStreams = await storeStreams(work, keeping, streams);
  if (how.emitEvents === 'in sum') await recordPendingHistory(work, holder.id, spans.all());
  const all = [...refused, ...keptStreams.refused];
  const refusals = { counts: {}, refused: all.slice(0, REFUSALS_MAX), refusedCount: all.length };
  return [keptSummaries, keptSamples, keptStreams.taken].reduce(addResults, refusals);
}

const toSubject = ({ id, client_user_id }: IngestionUser): EventSubject => ({
  userId: id,
  clientUserId: client_user_id,
});

const toWindow = ({ now }: Work, { ingestion_start, ingestion_end }: IngestionUser): IngestionWindow => ({
  now: now.getTime(),
  fromDay: ingestion_start,
  toDay: ingestion_end,
});
