import { DAY, isoDay } from '../../platform/clock.ts';
import { addDays } from '../../platform/time-zone.ts';
import type { Work } from '../../platform/work.ts';
import {
  readSummaries,
  readSamples,
  type StoredSource,
  type SummaryView,
} from '../../wearables/wearables.ts';
import type { HealthSample } from '../../readings/readings.ts';
import type { LocalTimeRange } from './align.ts';
import { invalidQuery, type QueryErrorLocation } from './columns.ts';
import { SLEEP_STAGES_FIELD } from './macros.ts';
import type { QueryPlan } from './plan.ts';
import type { AggregationRow, RowSource } from './row.ts';
import { readPath } from './summary-columns.ts';
import { readIndex, type AggregationTable } from './tables.ts';
import { UTC_OFFSET_MAX_MS, type LocalTimeConverter } from './local-time-converter.ts';

/** Maximum number of samples that one request reads. */
export const SAMPLES_MAX = 5_000_000;
const PAGE_SAMPLES = 10_000;
/** Days of summaries read at once. */
const PAGE_DAYS = 92;

/** The number of samples that a request may still read; decremented while reading. */
interface SampleBudget {
  samples: number;
}

export interface RowReadOptions {
  readonly userId: string;
  readonly range: LocalTimeRange;
  readonly toLocalTime: LocalTimeConverter;
  readonly loc: QueryErrorLocation;
  readonly budget: SampleBudget;
}

type SummaryTableReads = Extract<AggregationTable['reads'], { kind: 'summaries' }>;
type SampleTableReads = Extract<AggregationTable['reads'], { kind: 'samples' }>;

/** The summaries whose index is in the range. */
export async function* readSummaryRows(
  work: Work,
  { resource, index }: SummaryTableReads,
  { userId, range, toLocalTime, isStaged }: RowReadOptions & Pick<QueryPlan, 'isStaged'>,
): AsyncGenerator<AggregationRow> {
  // A profile belongs to no day, and each provider has only one.
  const isTimeless = resource === 'profile';
  const first = isoDay(new Date(range.from - 2 * DAY));
  const last = isoDay(new Date(range.to + 2 * DAY));
  for (let day = first; day <= last; day = addDays(day, PAGE_DAYS)) {
    const until = addDays(day, PAGE_DAYS - 1);
    const page = isTimeless
      ? { fromDay: '1900-01-01', toDay: '9999-12-31' }
      : { fromDay: day, toDay: until < last ? until : last };
    const views = await readSummaries(work, { userId, resource, ...page });
    for (const fields of isStaged ? await addSleepStages(work, userId, { views, ...page }) : views) {
      const moment = readIndex(fields, index);
      if (moment === null) continue;
      const own = (other: number) => toLocalTime(other, readOffset(fields));
      const shown = index.kind === 'day' || resource === 'profile' ? moment : own(moment);
      if (shown < range.from || shown >= range.to) continue;
      yield { at: shown, source: readSource(fields), fields, toLocalTime: own };
    }
    if (isTimeless) return;
  }
}

interface SleepPage {
  readonly views: readonly SummaryView[];
  readonly fromDay: string;
  readonly toDay: string;
}

/** Adds the stage types to each sleep; null for sleeps without stages. */
async function addSleepStages(
  work: Work,
  userId: string,
  { views, ...days }: SleepPage,
): Promise<SummaryView[]> {
  // Stages can be stored under the day before or after that of their sleep.
  const around = { fromDay: addDays(days.fromDay, -1), toDay: addDays(days.toDay, 1) };
  const cycles = await readSummaries(work, { userId, resource: 'sleep_cycle', ...around });
  const stages = new Map(cycles.map((cycle) => [cycle['sleep_id'], cycle['stage_type']]));
  return views.map((view) => ({ ...view, [SLEEP_STAGES_FIELD]: stages.get(view['id']) ?? null }));
}

function readOffset(fields: Readonly<Record<string, unknown>>): number | null {
  const offset = fields['timezone_offset'];
  return typeof offset === 'number' ? offset : null;
}

function readSource(fields: Readonly<Record<string, unknown>>): RowSource {
  const field = (name: string) => {
    const value = readPath(fields['source'], name);
    return typeof value === 'string' ? value : null;
  };
  return {
    provider: field('provider') ?? 'unknown',
    type: field('type') ?? 'unknown',
    appId: field('app_id'),
    deviceId: field('device_id'),
    workoutId: null,
    sport: null,
  };
}

/**
 * Streams samples in time order, page by page. The range is widened by the largest UTC offset: callers filter by local
 * time. 422 when the budget is used up.
 */
export async function* streamSamples(
  work: Work,
  { resource }: SampleTableReads,
  { userId, range, loc, budget, lead }: RowReadOptions & { readonly lead: number },
): AsyncGenerator<readonly [StoredSource, HealthSample]> {
  const period = { from: range.from - UTC_OFFSET_MAX_MS - lead, to: range.to + UTC_OFFSET_MAX_MS };
  let after: string | undefined;
  do {
    const page = { userId, resource, ...period, limit: PAGE_SAMPLES, ...(after ? { after } : {}) };
    const { groups, next } = await readSamples(work, page);
    budget.samples -= groups.reduce((sum, { samples }) => sum + samples.length, 0);
    if (budget.samples < 0) {
      throw invalidQuery(
        loc,
        `the query would read more than ${SAMPLES_MAX} samples: use a shorter timeframe`,
      );
    }
    yield* mergeInTimeOrder(groups);
    after = next ?? undefined;
  } while (after !== undefined);
}

interface SourceSamples {
  readonly source: StoredSource;
  readonly samples: readonly HealthSample[];
}

/** Merges the samples of all sources of a page into time order. */
function* mergeInTimeOrder(
  groups: readonly SourceSamples[],
): Generator<readonly [StoredSource, HealthSample]> {
  const [only] = groups;
  if (only && groups.length === 1) {
    for (const sample of only.samples) yield [only.source, sample];
    return;
  }
  const all = groups.flatMap(({ source, samples }) => samples.map((sample) => [source, sample] as const));
  yield* all.sort(([, one], [, other]) => one.at - other.at);
}

export function toSampleRow(
  source: StoredSource,
  sample: HealthSample,
  wall: LocalTimeConverter,
): AggregationRow {
  const { offset } = sample;
  return {
    at: wall(sample.at, offset),
    source,
    fields: { ...sample },
    toLocalTime: (moment) => wall(moment, offset),
  };
}
