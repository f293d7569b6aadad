import { z } from 'zod';
import { isoMoment } from '../../platform/clock.ts';
import type { StoredSource } from '../samples/samples.ts';
import { viewSource } from '../samples/samples.ts';
import { sportNumber } from '../sports.ts';
import type { SummedResource } from '../readings.ts';
import type { Body } from './bodies.ts';
import type { Summary, SummaryRow } from './record.ts';
import { summaryIdOf } from './summary-id.ts';

export const sourceOf = (row: SummaryRow): StoredSource => ({
  id: row.source_id,
  provider: row.provider,
  type: row.source_type,
  appId: row.app_id,
  deviceId: row.device_id,
  workoutId: null,
  sport: null,
});

const flat = (row: SummaryRow): Body => ({
  source_provider: row.provider,
  source_type: row.source_type,
  source_app_id: row.app_id,
  source_device_id: row.device_id,
});

const days = (row: SummaryRow): Body => ({ date: `${row.day}T00:00:00+00:00`, calendar_date: row.day });

/** The fields of each resource that follow from its row. */
const FROM_ROW: { readonly [R in SummedResource]: (row: Summary) => Body } = {
  activity: days,
  sleep: (row) => ({ ...days(row), sleep_stream: null }),
  sleep_cycle: (row) => ({ ...flat(row), sleep_id: row.body['sleep_id'] ?? sleepOf(row) }),
  workouts: (row) => ({
    calendar_date: row.day,
    provider_id: row.body['provider_id'] ?? row.key,
    sport: numbered(row.body['sport']),
  }),
  body: days,
  profile: () => ({}),
  meal: (row) => ({
    priority_id: 0,
    source_id: row.source_id,
    provider_id: row.body['provider_id'] ?? row.key,
    calendar_date: row.day,
    source_app_id: row.app_id,
    source_device_id: row.device_id,
  }),
  menstrual_cycle: flat,
  electrocardiogram: (row) => ({
    ...flat(row),
    source_device_model: row.body['source_device_model'] ?? null,
  }),
};

/** A sport has one number, whatever its bringer said, or said before the table had it. */
function numbered(sport: unknown): unknown {
  const known = Sport.safeParse(sport);
  return known.success ? { ...known.data, id: sportNumber(known.data.slug) ?? known.data.id } : sport;
}

const Sport = z.object({ id: z.int(), name: z.string(), slug: z.string() });

/** The stages of a sleep that nobody named belong to the sleep of the same key. */
const sleepOf = ({ user_id: userId, provider, key }: SummaryRow): string =>
  summaryIdOf({ userId, resource: 'sleep', provider, key });

export type SummaryView = Body & { readonly id: string };

/** A summary as the contract shows it. */
export const viewSummary = (row: Summary): SummaryView => ({
  ...row.body,
  ...FROM_ROW[row.resource](row),
  id: row.id,
  user_id: row.user_id,
  source: viewSource(sourceOf(row)),
  created_at: isoMoment(row.created_at),
  updated_at: isoMoment(row.updated_at),
});
