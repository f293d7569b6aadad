import type { App } from '../../app.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { DAY, isoDay } from '../../platform/clock.ts';
import * as connections from '../connections/store.ts';
import type { Reading } from '../readings.ts';
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

/** What came: the days that it is about, in UTC, and of which resources it is. */
export interface Came {
  readonly days: ReadonlySet<string>;
  readonly resources: ReadonlySet<string>;
}

/**
 * Keeps what a provider tells, batch by batch, as long as the connection works: each batch holds the connection, so
 * that nothing comes any more once somebody has removed it.
 */
export async function keepReadings(app: App, tenant: Tenant, coming: Coming): Promise<Came> {
  const [days, resources] = [new Set<string>(), new Set<string>()];
  for await (const batch of batchesOf(coming.readings, SAMPLES_PER_WORK)) {
    const readings = batch.map(({ reading }) => reading);
    await inTenant(app, tenant, (work) => keepBatch(work, coming, readings));
    for (const reading of readings) note(reading, { days, resources });
  }
  return { days, resources };
}

async function keepBatch(work: Work, { connectionId, userId, told }: Coming, readings: readonly Reading[]) {
  const row = await connections.hold(work, connectionId);
  if (row?.status !== 'connected') throw new ConnectionGone('The connection is not there any more');
  await takeInWork(work, userId, readings, { told });
}

function note(reading: Reading, { days, resources }: { days: Set<string>; resources: Set<string> }): void {
  resources.add(reading.kind === 'workout_stream' ? reading.kind : reading.resource);
  if (reading.kind === 'summary') days.add(reading.day);
  if (reading.kind !== 'samples') return;
  let day = Number.NaN;
  for (const { at } of reading.samples) {
    const number = Math.floor(at / DAY);
    if (number !== day) days.add(isoDay(new Date(number * DAY)));
    day = number;
  }
}
