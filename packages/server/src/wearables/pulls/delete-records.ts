import type { DeletedRecord } from '../../adapters/wearable-provider/port.ts';
import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { deleteSummaries, type Summary } from '../records/records.ts';
import { deleteSamples, lockSamples } from '../samples/samples.ts';

/**
 * Deletes records that a user deleted at a provider, with the samples that came only with them: those of a workout's own
 * sources, and the series that the provider measures only during such a record.
 */
export async function deleteRecords(
  work: Work,
  userId: string,
  { provider, deleted }: { provider: string; deleted: readonly DeletedRecord[] },
): Promise<void> {
  if (deleted.length === 0) return;
  // Taken before the rows of the summaries, as by ingestion: the other order could deadlock with it.
  lockSamples(work, userId);
  const identities = deleted.map(({ resource, key }) => ({ resource, key, provider }));
  for (const summary of await deleteSummaries(work, userId, identities)) {
    const record = deleted.find(({ resource, key }) => resource === summary.resource && key === summary.key);
    const { from, to } = getInterval(summary);
    if (record?.series)
      await deleteSamples(work, userId, { provider, resources: record.series, from, to: to + 1 });
    if (summary.resource === 'workouts') {
      // The samples of a workout can begin before it and end after it.
      const around = { from: from - DAY, to: to + DAY };
      await deleteSamples(work, userId, { provider, workoutId: summary.id, ...around });
    }
  }
}

/** The end is inclusive. */
function getInterval({ at, body }: Summary): { from: number; to: number } {
  const from = at.getTime();
  const end = body['time_end'] ?? body['bedtime_stop'];
  const to = typeof end === 'string' ? Date.parse(end) : from;
  return { from, to: Math.max(from, to) };
}
