import type { Work } from '../../platform/work.ts';
import type { HealthReading } from '../../readings/readings.ts';
import { lockSamples } from '../samples/samples.ts';
import { listDeletedRecords } from './deleted-record-store.ts';

interface PulledBatch {
  readonly connectionId: string;
  readonly userId: string;
  readonly readings: readonly HealthReading[];
}

/** The readings without the records that the provider reported as deleted, and without what belongs to their workouts. */
export async function skipDeleted(
  work: Work,
  { connectionId, userId, readings }: PulledBatch,
): Promise<HealthReading[]> {
  // The deletion holds the same lock: it is either visible here, or finds what this transaction stores.
  lockSamples(work, userId);
  const names = new Map(readings.map((reading) => [reading, getRecordName(reading)]));
  const keys = new Set([...names.values()].flatMap((name) => (name ? [name.key] : [])));
  const deleted = await listDeletedRecords(work, connectionId, [...keys]);
  const isDeleted = (reading: HealthReading): boolean => {
    const name = names.get(reading);
    return deleted.some(({ resource, key }) => resource === name?.resource && key === name.key);
  };
  return deleted.length === 0 ? [...readings] : readings.filter((reading) => !isDeleted(reading));
}

/** The record that a reading is or belongs to. */
function getRecordName(reading: HealthReading): { resource: string; key: string } | undefined {
  if (reading.kind === 'summary') return { resource: reading.resource, key: reading.key };
  if (reading.kind === 'workout_stream') return { resource: 'workouts', key: reading.workoutKey };
  const { workout } = reading.origin;
  return workout ? { resource: 'workouts', key: workout.key } : undefined;
}
