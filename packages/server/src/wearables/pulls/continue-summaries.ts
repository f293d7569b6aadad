import { SECOND } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import type { HealthReading, SummaryReading } from '../../readings/readings.ts';
import { listStartedSummaries, type Summary } from '../records/records.ts';

/**
 * For a provider whose API was replaced: the same night or workout has another key in the new API, and some fields have
 * no successor. A summary that begins in the second in which a stored one begins is that one: it keeps the stored key,
 * so that it is not stored twice, and the stored value of each field that the new API leaves empty.
 */
export async function continueSummaries(
  work: Work,
  userId: string,
  readings: readonly HealthReading[],
): Promise<HealthReading[]> {
  const summaries = readings.filter((reading) => reading.kind === 'summary');
  const [first] = summaries;
  if (!first) return [...readings];
  const stored = await listStartedSummaries(work, {
    userId,
    provider: first.origin.provider,
    resources: [...new Set(summaries.map(({ resource }) => resource))],
    times: summaries.map(({ at }) => new Date(at)),
  });
  const candidates = groupByStart(stored);
  const taken = new Set(summaries.map(toName).filter((name) => stored.some((one) => toName(one) === name)));
  return readings.map((reading) => {
    if (reading.kind !== 'summary') return reading;
    const same = candidates.get(toStart(reading.resource, reading.at)) ?? [];
    const own = same.find(({ key }) => key === reading.key) ?? same.find((one) => !taken.has(toName(one)));
    if (!own) return reading;
    taken.add(toName(own));
    return { ...reading, key: own.key, body: { ...own.body, ...withoutNulls(reading.body) } };
  });
}

const toName = ({ resource, key }: Pick<SummaryReading, 'resource' | 'key'>): string => `${resource}/${key}`;
const toStart = (resource: string, at: number): string => `${resource}/${Math.floor(at / SECOND)}`;

function groupByStart(stored: readonly Summary[]): Map<string, Summary[]> {
  const groups = new Map<string, Summary[]>();
  for (const one of stored) {
    const start = toStart(one.resource, one.at.getTime());
    groups.set(start, [...(groups.get(start) ?? []), one]);
  }
  return groups;
}

const withoutNulls = (body: SummaryReading['body']): SummaryReading['body'] =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value != null));
