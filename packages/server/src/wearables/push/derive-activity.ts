import type { Work } from '../../platform/work.ts';
import type { SampleReading, SummaryReading } from '../../readings/readings.ts';
import { findUser } from '../../users/users/users.ts';
import { deriveActivities, isActivityResource, type ActivityDay } from '../daily/daily.ts';
import { toLocalDay, toStartOfDay } from '../files/local-day.ts';
import { ingestInTransaction } from '../ingestion/ingestion.ts';
import { listSummaries } from '../records/records.ts';
import { lockActivity } from './store.ts';
import { createDayKey } from './summary-items.ts';

/** The newest days of a push whose activity is derived: each costs a read of all its samples. */
const DAYS_MAX = 366;

/**
 * Derives the activity summaries of the days that these samples belong to, from all stored samples of their provider.
 * A summary that the provider sent itself stays, and replaces a derived one when it arrives later. Idempotent: equal
 * totals change nothing and emit nothing.
 */
export async function deriveActivity(
  work: Work,
  userId: string,
  readings: readonly SampleReading[],
): Promise<void> {
  const counted = readings.filter(({ resource }) => isActivityResource(resource));
  if (counted.length === 0) return;
  const timeZone = (await findUser(work, userId))?.fallbackTimeZone?.value ?? null;
  // Two pushes at once would each miss the samples of the other.
  await lockActivity(work, userId);
  for (const provider of new Set(counted.map(({ origin }) => origin.provider))) {
    const days = listDays(
      counted.filter(({ origin }) => origin.provider === provider),
      timeZone,
    );
    const open = await withoutStated(work, { userId, provider, days });
    const derived = await deriveActivities(work, { userId, provider, days: open });
    const summaries = open.flatMap(({ day }): SummaryReading[] => {
      const found = derived.get(day);
      if (!found) return [];
      return [
        {
          kind: 'summary',
          resource: 'activity',
          origin: { provider, type: found.type, appId: null, device: null, workout: null },
          key: createDayKey(day),
          at: Date.parse(`${day}T00:00:00Z`),
          day,
          body: { ...found.fields, derived: true },
          raw: null,
        },
      ];
    });
    if (summaries.length > 0) await ingestInTransaction(work, userId, summaries, { emitEvents: true });
  }
}

function listDays(readings: readonly SampleReading[], timeZone: string | null): ActivityDay[] {
  const days = new Map<string, number>();
  for (const { samples } of readings) {
    for (const { at, until, offset } of samples) {
      for (const moment of [at, Math.max(at, (until ?? at) - 1)]) {
        const day = toLocalDay(moment, offset, timeZone);
        if (!days.has(day)) days.set(day, toStartOfDay(day, offset, timeZone));
      }
    }
  }
  return [...days]
    .map(([day, from]) => ({ day, from }))
    .toSorted((one, other) => other.from - one.from)
    .slice(0, DAYS_MAX);
}

interface PushedDays {
  readonly userId: string;
  readonly provider: string;
  /** The newest first. */
  readonly days: readonly ActivityDay[];
}

/** The days of which the provider sent no summary itself. */
async function withoutStated(work: Work, { userId, provider, days }: PushedDays): Promise<ActivityDay[]> {
  const stated = new Set<string>();
  const sorted = days.map(({ day }) => day).toSorted();
  const [fromDay, toDay] = [sorted[0], sorted.at(-1)];
  if (fromDay === undefined || toDay === undefined) return [];
  const rows = await listSummaries(work, { userId, resource: 'activity', provider, fromDay, toDay });
  for (const { day, body } of rows) if (body['derived'] !== true) stated.add(day);
  return days.filter(({ day }) => !stated.has(day));
}
