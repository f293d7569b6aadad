import { DAY, isoDay } from '../platform/clock.ts';
import { dayAfter } from '../platform/time-zone.ts';
import type { Work } from '../platform/work.ts';
import {
  readSummaries,
  readSamples,
  type StoredSource,
  type Sample,
  type SummaryView,
} from '../wearables/wearables.ts';
import type { WallRange } from './align.ts';
import { refused, type Loc } from './columns.ts';
import { STAGES } from './macros.ts';
import type { Plan } from './plan.ts';
import type { Row, RowSource } from './row.ts';
import { at } from './summary-columns.ts';
import { indexOf, type Table } from './tables.ts';
import { WALL_MAX, type Wall } from './wall.ts';

/** The most samples that one request reads. */
export const SAMPLES_MAX = 5_000_000;
const PAGE_SAMPLES = 10_000;
/** Summaries are read by so many days at once. */
const PAGE_DAYS = 92;

/** How much a request may still read. */
export interface Budget {
  samples: number;
}

export interface Wanted {
  readonly userId: string;
  readonly range: WallRange;
  readonly wall: Wall;
  readonly loc: Loc;
  readonly budget: Budget;
}

type Summaries = Extract<Table['reads'], { kind: 'summaries' }>;
type Samples = Extract<Table['reads'], { kind: 'samples' }>;

/** The summaries of the range, each when its index says. */
export async function* summaryRows(
  work: Work,
  { resource, index }: Summaries,
  { userId, range, wall, isStaged }: Wanted & Pick<Plan, 'isStaged'>,
): AsyncGenerator<Row> {
  // A profile counts for no day, and is the only one of its provider.
  const isTimeless = resource === 'profile';
  const first = isoDay(new Date(range.from - 2 * DAY));
  const last = isoDay(new Date(range.to + 2 * DAY));
  for (let day = first; day <= last; day = dayAfter(day, PAGE_DAYS)) {
    const until = dayAfter(day, PAGE_DAYS - 1);
    const page = isTimeless
      ? { fromDay: '1900-01-01', toDay: '9999-12-31' }
      : { fromDay: day, toDay: until < last ? until : last };
    const views = await readSummaries(work, { userId, resource, ...page });
    for (const fields of isStaged ? await withStages(work, userId, { views, ...page }) : views) {
      const moment = indexOf(fields, index);
      if (moment === null) continue;
      const own = (other: number) => wall(other, offsetOf(fields));
      const shown = index.kind === 'day' || resource === 'profile' ? moment : own(moment);
      if (shown < range.from || shown >= range.to) continue;
      yield { at: shown, source: sourceOf(fields), fields, wall: own };
    }
    if (isTimeless) return;
  }
}

interface Nights {
  readonly views: readonly SummaryView[];
  readonly fromDay: string;
  readonly toDay: string;
}

/** Sleeps with the types of their stages, of those that have stages. */
async function withStages(work: Work, userId: string, { views, ...days }: Nights): Promise<SummaryView[]> {
  // Stages that end before midnight are of a sleep that may count for the next day.
  const around = { fromDay: dayAfter(days.fromDay, -1), toDay: dayAfter(days.toDay, 1) };
  const cycles = await readSummaries(work, { userId, resource: 'sleep_cycle', ...around });
  const stages = new Map(cycles.map((cycle) => [cycle['sleep_id'], cycle['stage_type']]));
  return views.map((view) => ({ ...view, [STAGES]: stages.get(view['id']) ?? null }));
}

function offsetOf(fields: Readonly<Record<string, unknown>>): number | null {
  const offset = fields['timezone_offset'];
  return typeof offset === 'number' ? offset : null;
}

function sourceOf(fields: Readonly<Record<string, unknown>>): RowSource {
  const field = (name: string) => {
    const value = at(fields['source'], name);
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

/** Samples as they come, page by page in the order of time; a little more than the range, by the zones of the world. */
export async function* samplesOf(
  work: Work,
  { resource }: Samples,
  { userId, range, loc, budget, lead }: Wanted & { readonly lead: number },
): AsyncGenerator<readonly [StoredSource, Sample]> {
  const period = { from: range.from - WALL_MAX - lead, to: range.to + WALL_MAX };
  let after: string | undefined;
  do {
    const page = { userId, resource, ...period, limit: PAGE_SAMPLES, ...(after ? { after } : {}) };
    const { groups, next } = await readSamples(work, page);
    budget.samples -= groups.reduce((sum, { samples }) => sum + samples.length, 0);
    if (budget.samples < 0) {
      throw refused(loc, `more than ${SAMPLES_MAX} samples would have to be read: ask for a shorter time`);
    }
    yield* inTime(groups);
    after = next ?? undefined;
  } while (after !== undefined);
}

interface Placed {
  readonly source: StoredSource;
  readonly samples: readonly Sample[];
}

/** The samples of all sources of a page, in the order of time. */
function* inTime(groups: readonly Placed[]): Generator<readonly [StoredSource, Sample]> {
  const [only] = groups;
  if (only && groups.length === 1) {
    for (const sample of only.samples) yield [only.source, sample];
    return;
  }
  const all = groups.flatMap(({ source, samples }) => samples.map((sample) => [source, sample] as const));
  yield* all.sort(([, one], [, other]) => one.at - other.at);
}

export function sampleRow(source: StoredSource, sample: Sample, wall: Wall): Row {
  const { offset } = sample;
  return {
    at: wall(sample.at, offset),
    source,
    fields: { ...sample },
    wall: (moment) => wall(moment, offset),
  };
}
