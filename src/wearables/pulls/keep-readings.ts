import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { DAY, isoDay, SECOND } from '../../platform/clock.ts';
import * as connections from '../connections/store.ts';
import type { Reading, SummaryReading } from '../readings.ts';
import { batchesOf } from '../taking-in/batches.ts';
import { takeInWork } from '../taking-in/taking-in.ts';

/** The connection was removed, paused or failed while something came from it. */
export class ConnectionGone extends Error {}

const SAMPLES_PER_WORK = 5000;

export interface Coming {
  readonly connectionId: string;
  readonly userId: string;
  readonly readings: AsyncIterable<Reading> | Iterable<Reading>;
  /** Whether events tell of it. */
  readonly told: boolean;
}

/** What came: by resource the days that it is about; those of samples and streams in UTC. */
export type Came = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Keeps what a provider tells, batch by batch, as long as the connection works: each batch holds the connection, so
 * that nothing comes any more once somebody has removed it.
 */
export async function keepReadings(app: App, tenant: Tenant, coming: Coming): Promise<Came> {
  const came = new Map<string, Set<string>>();
  for await (const batch of batchesOf(coming.readings, SAMPLES_PER_WORK)) {
    const readings = batch.map(({ reading }) => reading);
    await inTenant(app, tenant, (work) => keepBatch(work, coming, readings));
    for (const reading of readings) note(reading, came);
  }
  return came;
}

async function keepBatch(work: Work, { connectionId, userId, told }: Coming, readings: readonly Reading[]) {
  const row = await connections.hold(work, connectionId);
  if (row?.status !== 'connected') throw new ConnectionGone('The connection is not there any more');
  await takeInWork(work, userId, readings, { told });
}

function note(reading: Reading, came: Map<string, Set<string>>): void {
  const resource = reading.kind === 'workout_stream' ? reading.kind : reading.resource;
  const days = came.get(resource) ?? new Set();
  came.set(resource, days);
  if (reading.kind === 'summary') days.add(reading.day);
  else for (const day of daysOf(momentsOf(reading))) days.add(day);
}

function* momentsOf(reading: Exclude<Reading, SummaryReading>): Iterable<number> {
  if (reading.kind === 'samples') for (const { at } of reading.samples) yield at;
  else for (const second of reading.columns.time) yield second * SECOND;
}

function* daysOf(moments: Iterable<number>): Iterable<string> {
  let before = Number.NaN;
  for (const at of moments) {
    const number = Math.floor(at / DAY);
    if (number !== before) yield isoDay(new Date(number * DAY));
    before = number;
  }
}
