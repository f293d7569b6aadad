import { DAY } from '../../platform/clock.ts';
import type { Work } from '../../platform/work.ts';
import { getSourceOrder } from '../../provider-settings/provider-settings.ts';
import { mergeIntervals, type SourceContribution } from './merge-intervals.ts';
import type { CountedResource } from './resources.ts';
import { readLayers } from './totals.ts';
import type { StoredSource } from '../samples/samples.ts';

/** Counted resources that are fields of the activity summary, and whether the field is a whole number. */
// prettier-ignore
const FIELDS: readonly { resource: CountedResource; field: string; isWhole: boolean }[] = [
  { resource: 'steps',            field: 'steps',           isWhole: true },
  { resource: 'distance',         field: 'distance',        isWhole: false },
  { resource: 'floors_climbed',   field: 'floors_climbed',  isWhole: true },
  { resource: 'calories_active',  field: 'calories_active', isWhole: false },
  { resource: 'calories_basal',   field: 'calories_basal',  isWhole: false },
  { resource: 'wheelchair_push',  field: 'wheelchair_push', isWhole: true },
  // What Apple counts as exercise is at least as intense as a brisk walk.
  { resource: 'workout_duration', field: 'medium',          isWhole: false },
];

export const isActivityResource = (resource: string): boolean =>
  FIELDS.some((one) => one.resource === resource);

/** A local day and the instant at which it begins. */
export interface ActivityDay {
  readonly day: string;
  readonly from: number;
}

/** What the samples of a day say about its activity. */
interface DerivedActivity {
  readonly fields: Readonly<Record<string, number>>;
  /** The type of the only source that counted, or `multiple_sources`. */
  readonly type: string;
}

interface ActivityQuery {
  readonly userId: string;
  readonly provider: string;
  /** Any days, each once. */
  readonly days: readonly ActivityDay[];
}

/** The number of days read at once. */
const DAYS_PER_READ = 31;

/**
 * Derives activity summaries from the stored samples of one provider, without counting a phone and a watch twice: by
 * the rule of the daily totals. Days without samples are missing in the result.
 */
export async function deriveActivities(
  work: Work,
  { userId, provider, days }: ActivityQuery,
): Promise<Map<string, DerivedActivity>> {
  const providers = await getSourceOrder(work, 'timeseries');
  const derived = new Map<string, DerivedActivity>();
  for (const run of toRuns(days)) {
    const edges = [...run.map(({ from }) => from), (run.at(-1)?.from ?? 0) + DAY];
    const drafts = run.map(() => ({ fields: new Map<string, number>(), types: new Set<string>() }));
    for (const { resource, field, isWhole } of FIELDS) {
      const layers = await readLayers(work, { userId, resource, provider, providers, edges });
      const { contributions } = mergeIntervals(layers, edges);
      drafts.forEach(({ fields, types }, index) => {
        const counted = contributions.filter((one) => hasCounted(one, index));
        if (counted.length === 0) return;
        const amount = counted.reduce((sum, { amounts }) => sum + (amounts[index] ?? 0), 0);
        fields.set(field, isWhole ? Math.round(amount) : Number(amount.toFixed(3)));
        for (const { source } of counted) types.add(source.type);
      });
    }
    run.forEach(({ day }, index) => {
      const { fields, types } = drafts[index] ?? {};
      const [type] = types ?? [];
      if (!fields || fields.size === 0 || type === undefined) return;
      derived.set(day, { fields: withTotal(fields), type: types?.size === 1 ? type : 'multiple_sources' });
    });
  }
  return derived;
}

const hasCounted = (
  { amounts, covered, moments }: SourceContribution<StoredSource>,
  index: number,
): boolean => (amounts[index] ?? 0) > 0 || (covered[index] ?? 0) > 0 || (moments[index] ?? 0) > 0;

/** The summary has no basal part of its own, only a total. */
function withTotal(fields: ReadonlyMap<string, number>): Record<string, number> {
  const { calories_basal: basal, ...others } = Object.fromEntries(fields);
  if (basal === undefined || others['calories_active'] === undefined) return others;
  return { ...others, calories_total: Number((basal + others['calories_active']).toFixed(3)) };
}

/** Runs of days of which each ends about where the next one begins: a change of the clock moves that by hours. */
function toRuns(days: readonly ActivityDay[]): ActivityDay[][] {
  const runs: ActivityDay[][] = [];
  for (const one of days.toSorted((a, b) => a.from - b.from)) {
    const run = runs.at(-1);
    const last = run?.at(-1);
    const isNext = last !== undefined && one.from > last.from && one.from <= last.from + 1.5 * DAY;
    if (run && isNext && run.length < DAYS_PER_READ) run.push(one);
    else runs.push([one]);
  }
  return runs;
}
