import { z } from 'zod';
import type { App } from '../../app.ts';
import { defineJob, enqueueUnique } from '../../platform/jobs/jobs.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import type { SampleReading, SummaryReading } from '../../readings/readings.ts';
import { findUser } from '../../users/users/users.ts';
import { deriveActivities, isActivityResource, type ActivityDay } from '../daily/daily.ts';
import { toLocalDay, toStartOfDay } from '../files/local-day.ts';
import { ingestInTransaction } from '../ingestion/ingestion.ts';
import { listActivityOfDays } from '../records/records.ts';
import { lockSamples } from '../samples/samples.ts';
import { insertDueActivities, lockActivity, takeDueActivities, type ProviderDays } from './store.ts';
import { createDayKey } from './summary-items.ts';

/** The newest days of a push are derived with it; each costs a read of all its samples. The others are left to a job. */
const DAYS_AT_ONCE = 366;
/** The days that one transaction of the job derives. */
const DAYS_PER_TRANSACTION = 62;

const DeriveInput = z.object({ user_id: z.guid() });
const deriveJob = { name: 'wearables.derive_activity', input: DeriveInput };

/**
 * Derives the activity summaries of the days that these samples belong to, from all stored samples of their provider.
 * A summary that the provider sent itself stays, and replaces a derived one when it arrives later. Idempotent: equal
 * totals change nothing and emit nothing. Of more than a year of days, the older ones follow in a job.
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
  let isMore = false;
  for (const provider of new Set(counted.map(({ origin }) => origin.provider))) {
    const days = listDays(
      counted.filter(({ origin }) => origin.provider === provider),
      timeZone,
    );
    await deriveDays(work, userId, { provider, days: days.slice(0, DAYS_AT_ONCE) });
    const later = days.slice(DAYS_AT_ONCE);
    if (later.length === 0) continue;
    await insertDueActivities(work, userId, { provider, days: later });
    isMore = true;
  }
  if (!isMore) return;
  const one = `${deriveJob.name}/${userId}`;
  await enqueueUnique(work.tx, { tenant: work.tenant, job: deriveJob.name, input: { user_id: userId }, one });
}

/** Derives the days that pushes left over, some in each transaction: after a crash, it goes on from there. */
export const deriveDueActivities = defineJob({
  ...deriveJob,
  canWait: true,
  async run(app: App, tenant, { user_id: userId }) {
    const deriveSome = async (work: Work): Promise<boolean> => {
      // In the order of a push: the other order could deadlock with it.
      lockSamples(work, userId);
      await lockActivity(work, userId);
      const some = await takeDueActivities(work, userId, DAYS_PER_TRANSACTION);
      if (some && (await findUser(work, userId))) await deriveDays(work, userId, some);
      return some !== undefined;
    };
    let isMore = true;
    while (isMore) isMore = await inTenant(app, tenant, deriveSome);
  },
});

async function deriveDays(work: Work, userId: string, { provider, days }: ProviderDays): Promise<void> {
  const open = await withoutStated(work, userId, { provider, days });
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

/** The newest first. */
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
  return [...days].map(([day, from]) => ({ day, from })).toSorted((one, other) => other.from - one.from);
}

/** The days of which the provider sent no summary itself. */
async function withoutStated(
  work: Work,
  userId: string,
  { provider, days }: ProviderDays,
): Promise<ActivityDay[]> {
  const stored = await listActivityOfDays(work, { userId, provider, days: days.map(({ day }) => day) });
  const stated = new Set(stored.filter(({ body }) => body['derived'] !== true).map(({ day }) => day));
  return days.filter(({ day }) => !stated.has(day));
}
