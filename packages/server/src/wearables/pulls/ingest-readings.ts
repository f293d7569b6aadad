import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { DAY, isoDay, SECOND } from '../../platform/clock.ts';
import * as connections from '../connections/store.ts';
import type { HealthReading, SummaryReading } from '../../readings/readings.ts';
import { toBatches } from '../ingestion/batches.ts';
import { ingestInTransaction } from '../ingestion/ingestion.ts';
import { skipDeleted } from './skip-deleted.ts';
import { continueSummaries } from './continue-summaries.ts';

/** The connection was removed, paused or failed during a pull. */
export class ConnectionGone extends Error {}

const SAMPLES_PER_TRANSACTION = 5000;

interface ConnectionReadings {
  readonly connectionId: string;
  readonly userId: string;
  readonly readings: AsyncIterable<HealthReading> | Iterable<HealthReading>;
  /** Whether to emit an event for each change. */
  readonly emitEvents: boolean;
  /** Whether the provider's API replaces one whose summaries are stored. */
  readonly continues?: boolean;
  /** Called after each transaction, with what it stored. */
  readonly onStored?: (readings: readonly HealthReading[]) => void;
}

/** The days with data, by resource. Days of samples and streams are in UTC. */
export type DaysByResource = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Ingests a provider's readings in batches, one transaction each, while the connection is connected. Each batch holds a
 * share lock on the connection, so that nothing is ingested after it was removed. Throws ConnectionGone then. If the
 * provider fails, what came before is ingested: a pull that was limited goes on from there.
 */
export async function ingestReadings(
  app: App,
  tenant: Tenant,
  coming: ConnectionReadings,
): Promise<DaysByResource> {
  const came = new Map<string, Set<string>>();
  const failures: unknown[] = [];
  const readings = untilFailure(coming.readings, failures);
  for await (const batch of toBatches(readings, SAMPLES_PER_TRANSACTION)) {
    const some = batch.map(({ reading }) => reading);
    await inTenant(app, tenant, (work) => ingestBatch(work, coming, some));
    for (const reading of some) recordDays(reading, came);
    coming.onStored?.(some);
  }
  for (const failure of failures) throw failure;
  return came;
}

/** Ends where the readings fail. */
async function* untilFailure(
  readings: ConnectionReadings['readings'],
  failures: unknown[],
): AsyncGenerator<HealthReading> {
  try {
    yield* readings;
  } catch (error) {
    failures.push(error);
  }
}

async function ingestBatch(
  work: Work,
  { connectionId, userId, emitEvents, continues = false }: ConnectionReadings,
  readings: readonly HealthReading[],
) {
  const row = await connections.shareLock(work, connectionId);
  if (row?.status !== 'connected') throw new ConnectionGone('The connection is no longer connected');
  const kept = await skipDeleted(work, { connectionId, userId, readings });
  const coming = continues ? await continueSummaries(work, userId, kept) : kept;
  await ingestInTransaction(work, userId, coming, { emitEvents });
}

function recordDays(reading: HealthReading, came: Map<string, Set<string>>): void {
  const resource = reading.kind === 'workout_stream' ? reading.kind : reading.resource;
  const days = came.get(resource) ?? new Set();
  came.set(resource, days);
  if (reading.kind === 'summary') days.add(reading.day);
  else for (const day of toDays(listTimestamps(reading))) days.add(day);
}

function* listTimestamps(reading: Exclude<HealthReading, SummaryReading>): Iterable<number> {
  if (reading.kind === 'samples') for (const { at } of reading.samples) yield at;
  else for (const second of reading.columns.time) yield second * SECOND;
}

function* toDays(moments: Iterable<number>): Iterable<string> {
  let before = Number.NaN;
  for (const at of moments) {
    const number = Math.floor(at / DAY);
    if (number !== before) yield isoDay(new Date(number * DAY));
    before = number;
  }
}
