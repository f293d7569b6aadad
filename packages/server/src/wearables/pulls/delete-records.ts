import type { DeletedRecord } from '../../adapters/wearable-provider/port.ts';
import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { deleteSummaries, findRawSummary, type RawSummary, type Summary } from '../records/records.ts';
import { deleteSamples, lockSamples } from '../samples/samples.ts';
import { insertDeletedRecords } from './deleted-record-store.ts';

interface ReportedDeletion {
  readonly connectionId: string;
  readonly userId: string;
  readonly provider: string;
  readonly deleted: readonly DeletedRecord[];
}

/**
 * Deletes records that a user deleted at a provider, with the samples that came only with them: those of a workout's own
 * sources, the series that the provider measures only during such a record, and the values of its parts. Remembers the
 * records, so that a pull that is still under way does not bring them back.
 */
export async function deleteRecords(
  work: Work,
  { connectionId, userId, provider, deleted }: ReportedDeletion,
): Promise<void> {
  if (deleted.length === 0) return;
  // Taken before the rows of the summaries, as by ingestion: the other order could deadlock with it.
  lockSamples(work, userId);
  for (const record of deleted) await deletePart(work, { userId, provider, record });
  const gone = deleted.filter(({ keepsRecord }) => keepsRecord !== true);
  if (gone.length === 0) return;
  await insertDeletedRecords(work, connectionId, gone);
  const identities = gone.map(({ resource, key }) => ({ resource, key, provider }));
  for (const summary of await deleteSummaries(work, userId, identities)) {
    const record = gone.find(({ resource, key }) => resource === summary.resource && key === summary.key);
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

/** Deletes the values of a part of a record. */
async function deletePart(
  work: Work,
  {
    userId,
    provider,
    record: { resource, key, part },
  }: { userId: string; provider: string; record: DeletedRecord },
): Promise<void> {
  const raw = part && (await findRawSummary(work, { userId, resource, provider, key }));
  const at = raw && readTime(raw, part.timePath);
  if (at === undefined) return;
  await deleteSamples(work, userId, { provider, resources: part?.resources, from: at, to: at + 1 });
}

function readTime({ data }: RawSummary, path: readonly string[]): number | undefined {
  const found = path.reduce<unknown>(
    (here, name) => (typeof here === 'object' && here !== null ? Reflect.get(here, name) : undefined),
    data,
  );
  const at = typeof found === 'string' ? Date.parse(found) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** The end is inclusive. */
function getInterval({ at, body }: Summary): { from: number; to: number } {
  const from = at.getTime();
  const end = body['time_end'] ?? body['bedtime_stop'];
  const to = typeof end === 'string' ? Date.parse(end) : from;
  return { from, to: Math.max(from, to) };
}
