import { z } from 'zod';
import { isoTimestamp } from '../../platform/clock.ts';
import { type StoredSource, toSourceView } from '../samples/samples.ts';
import { findSportId, type SummaryResource } from '../../readings/readings.ts';
import type { SummaryBody } from './body-schemas.ts';
import type { Summary, SummaryRow } from './record.ts';
import { deriveSummaryId } from './summary-id.ts';

const toSummarySource = (row: SummaryRow): StoredSource => ({
  id: row.source_id,
  provider: row.provider,
  type: row.source_type,
  appId: row.app_id,
  deviceId: row.device_id,
  workoutId: null,
  sport: null,
});

const toFlatSource = (row: SummaryRow): SummaryBody => ({
  source_provider: row.provider,
  source_type: row.source_type,
  source_app_id: row.app_id,
  source_device_id: row.device_id,
});

const toDayFields = (row: SummaryRow): SummaryBody => ({
  date: `${row.day}T00:00:00+00:00`,
  calendar_date: row.day,
});

/** The fields of each resource that are derived from its row. */
const DERIVED_FIELDS: { readonly [R in SummaryResource]: (row: Summary) => SummaryBody } = {
  activity: toDayFields,
  sleep: (row) => ({ ...toDayFields(row), sleep_stream: null }),
  sleep_cycle: (row) => ({ ...toFlatSource(row), sleep_id: row.body['sleep_id'] ?? deriveSleepId(row) }),
  workouts: (row) => ({
    calendar_date: row.day,
    provider_id: row.body['provider_id'] ?? row.key,
    sport: withSportId(row.body['sport']),
  }),
  body: toDayFields,
  profile: () => ({}),
  meal: (row) => ({
    priority_id: 0,
    source_id: row.source_id,
    provider_id: row.body['provider_id'] ?? row.key,
    calendar_date: row.day,
    source_app_id: row.app_id,
    source_device_id: row.device_id,
  }),
  menstrual_cycle: toFlatSource,
  electrocardiogram: (row) => ({
    ...toFlatSource(row),
    source_device_model: row.body['source_device_model'] ?? null,
  }),
};

/** Sets the numeric id of a known sport, whatever id was ingested. */
function withSportId(sport: unknown): unknown {
  const known = Sport.safeParse(sport);
  return known.success ? { ...known.data, id: findSportId(known.data.slug) ?? known.data.id } : sport;
}

const Sport = z.object({ id: z.int(), name: z.string(), slug: z.string() });

/** Without a sleep_id, a sleep cycle belongs to the sleep with the same key. */
const deriveSleepId = ({ user_id: userId, provider, key }: SummaryRow): string =>
  deriveSummaryId({ userId, resource: 'sleep', provider, key });

export type SummaryView = SummaryBody & { readonly id: string };

/** A summary in the format of the contract. */
export const toSummaryView = (row: Summary): SummaryView => ({
  ...row.body,
  ...DERIVED_FIELDS[row.resource](row),
  id: row.id,
  user_id: row.user_id,
  source: toSourceView(toSummarySource(row)),
  created_at: isoTimestamp(row.created_at),
  updated_at: isoTimestamp(row.updated_at),
});
