import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { Provider } from '../connection.ts';
import { describeProvider, Workout } from '../../readings/readings.ts';
import type { RawSummary } from '../records/records.ts';

const deprecated = { deprecated: true };

/** The fields of every raw summary: payload, owner and source. */
const rawFields = {
  id: z.guid(),
  user_id: z.guid(),
  data: z.record(z.string(), z.unknown()).describe('The payload of the provider.'),
  source_id: z.int().meta(deprecated),
  source: Provider,
  created_at: Timestamp,
  updated_at: Timestamp,
};
const datedFields = {
  ...rawFields,
  timestamp: Timestamp,
  provider_id: z.string().meta(deprecated),
  priority_id: z.int().meta(deprecated),
  source_device_id: z.guid().nullable(),
};
const prioritizedFields = { ...datedFields, priority: z.int().nullable().meta(deprecated) };
const workoutFields = { ...datedFields, sport_id: z.int().meta(deprecated), sport: Workout.shape.sport };

export const RawActivity = z.object(datedFields).meta({ id: 'RawActivity' });
export const RawSleep = z.object(prioritizedFields).meta({ id: 'RawSleep' });
export const RawBody = z.object(prioritizedFields).meta({ id: 'RawBody' });
export const RawWorkout = z.object(workoutFields).meta({ id: 'RawWorkout' });
export const RawProfile = z
  .object({ ...rawFields, priority_id: z.int().nullable().meta(deprecated) })
  .meta({ id: 'ProfileInDb' });

export const RawDevice = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    provider_id: z.string().describe('The id of the device at the provider; empty if unknown.'),
    source_id: z.int(),
    source: Provider,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RawDevice' });

const NO_SPORT = { id: 0, name: 'Unknown', slug: 'unknown' };

/** A raw summary with the fields of all kinds; the response schema selects its own. */
export const toRawView = (row: RawSummary, sport?: unknown) => ({
  id: row.id,
  user_id: row.user_id,
  data: row.data,
  timestamp: isoTimestamp(row.at),
  provider_id: row.key,
  source_id: row.source_id,
  source: describeProvider(row.provider),
  source_device_id: row.device_id,
  priority_id: 0,
  priority: null,
  ...toSportFields(sport),
  created_at: isoTimestamp(row.created_at),
  updated_at: isoTimestamp(row.updated_at),
});

function toSportFields(sport: unknown) {
  const told = Workout.shape.sport.safeParse(sport);
  const known = told.success ? told.data : NO_SPORT;
  return { sport_id: known.id, sport: known };
}
