import type { Work } from '../../platform/work.ts';
import type { SummaryReading } from '../../readings/readings.ts';
import { deleteSummaries, deriveSummaryId, listActivityOfDays } from '../records/records.ts';

/** The summaries to store, and what they replace. */
interface ReplacedDerived {
  readonly readings: readonly SummaryReading[];
  /** The ids of the derived summaries that were deleted, by the id of the summary that replaces them. */
  readonly replaced: ReadonlyMap<string, readonly string[]>;
}

/**
 * A provider has at most one derived activity summary of a day, and none beside one of its own, whatever their keys: of
 * the readings, derived ones are left out where the provider has a summary of its own, and stored derived ones under
 * another key are deleted. The caller must hold the user's sample lock, so that no concurrent ingestion adds one.
 */
export async function replaceDerived(
  work: Work,
  userId: string,
  given: readonly SummaryReading[],
): Promise<ReplacedDerived> {
  const replaced = new Map<string, readonly string[]>();
  const dropped = new Set<SummaryReading>();
  const activities = given.filter(({ resource }) => resource === 'activity');
  for (const [provider, readings] of groupByProvider(activities)) {
    const days = readings.map(({ day }) => day);
    const stored = await listActivityOfDays(work, { userId, provider, days });
    const stated = new Set([...stored, ...readings].filter((one) => !isDerived(one)).map(({ day }) => day));
    const kept = new Map<string, SummaryReading>();
    for (const reading of readings) {
      if (isDerived(reading) && stated.has(reading.day)) dropped.add(reading);
      else kept.set(reading.day, reading);
    }
    // One that is stored under the key of a reading is overwritten.
    const keys = new Set(readings.map(({ key }) => key));
    const gone = stored.filter((one) => isDerived(one) && kept.has(one.day) && !keys.has(one.key));
    await deleteSummaries(
      work,
      userId,
      gone.map(({ key }) => ({ resource: 'activity', provider, key })),
    );
    for (const { id, day } of gone) {
      const { key } = kept.get(day) ?? {};
      if (key === undefined) continue;
      const heir = deriveSummaryId({ userId, resource: 'activity', provider, key });
      replaced.set(heir, [...(replaced.get(heir) ?? []), id]);
    }
  }
  return { readings: given.filter((reading) => !dropped.has(reading)), replaced };
}

const isDerived = ({ body }: Pick<SummaryReading, 'body'>): boolean => body['derived'] === true;

function groupByProvider(readings: readonly SummaryReading[]): Map<string, SummaryReading[]> {
  const groups = new Map<string, SummaryReading[]>();
  for (const reading of readings) {
    const { provider } = reading.origin;
    groups.set(provider, [...(groups.get(provider) ?? []), reading]);
  }
  return groups;
}
