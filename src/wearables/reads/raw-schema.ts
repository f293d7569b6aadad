import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import { Provider } from '../connection.ts';
import { providerNamed } from '../providers.ts';
import type { RawSummary } from '../records/records.ts';
import { Moment } from '../source.ts';
import { Workout } from '../summaries/workout.ts';

const old = { deprecated: true };

/** What a provider sent, and whose it is. */
const raw = {
  id: z.guid(),
  user_id: z.guid(),
  data: z.record(z.string(), z.unknown()).describe('As the provider sent it.'),
  source_id: z.int().meta(old),
  source: Provider,
  created_at: Moment,
  updated_at: Moment,
};
const dated = {
  ...raw,
  timestamp: Moment,
  provider_id: z.string().meta(old),
  priority_id: z.int().meta(old),
  source_device_id: z.guid().nullable(),
};
const placed = { ...dated, priority: z.int().nullable().meta(old) };
const sporty = { ...dated, sport_id: z.int().meta(old), sport: Workout.shape.sport };

export const RawActivity = z.object(dated).meta({ id: 'RawActivity' });
export const RawSleep = z.object(placed).meta({ id: 'RawSleep' });
export const RawBody = z.object(placed).meta({ id: 'RawBody' });
export const RawWorkout = z.object(sporty).meta({ id: 'RawWorkout' });
export const RawProfile = z
  .object({ ...raw, priority_id: z.int().nullable().meta(old) })
  .meta({ id: 'ProfileInDb' });

export const RawDevice = z
  .object({
    id: z.guid(),
    user_id: z.guid(),
    provider_id: z.string().describe('As the provider calls it; empty where it does not.'),
    source_id: z.int(),
    source: Provider,
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RawDevice' });

const NO_SPORT = { id: 0, name: 'Unknown', slug: 'unknown' };

/** Raw data as the contract shows them, with every field that some kind of them has: the schema takes its own. */
export const viewRaw = (row: RawSummary, sport?: unknown) => ({
  id: row.id,
  user_id: row.user_id,
  data: row.data,
  timestamp: isoMoment(row.at),
  provider_id: row.key,
  source_id: row.source_id,
  source: providerNamed(row.provider),
  source_device_id: row.device_id,
  priority_id: 0,
  priority: null,
  ...sportOf(sport),
  created_at: isoMoment(row.created_at),
  updated_at: isoMoment(row.updated_at),
});

function sportOf(sport: unknown) {
  const told = Workout.shape.sport.safeParse(sport);
  const known = told.success ? told.data : NO_SPORT;
  return { sport_id: known.id, sport: known };
}
