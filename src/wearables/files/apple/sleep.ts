import type { Origin, Reading, Sample } from '../../readings.ts';
import { dayOf, momentOf } from '../activity.ts';
import type { LocalMoment } from './moments.ts';

/** What a record says of a time in bed, without what all values begin with, and as which stage we count it. */
// prettier-ignore
const STAGES: Readonly<Record<string, Stage>> = {
  InBed: 'in_bed', Awake: 'awake', Asleep: 'asleep', AsleepUnspecified: 'asleep', AsleepCore: 'light',
  AsleepDeep: 'deep', AsleepREM: 'rem',
};
type Stage = 'in_bed' | 'awake' | 'asleep' | 'light' | 'deep' | 'rem';

/** As the contract counts stages; -1 where the export says asleep and no more. */
const NUMBERS: Readonly<Record<Exclude<Stage, 'in_bed'>, number>> = {
  deep: 1,
  light: 2,
  rem: 3,
  awake: 4,
  asleep: -1,
};

export const stageOf = (value: string | undefined): Stage | undefined =>
  STAGES[(value ?? '').replace('HKCategoryValueSleepAnalysis', '')];

interface Stretch {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
  readonly stage: Stage;
}

/** A year of nights has some ten thousand of them. */
const STRETCHES_MAX = 500_000;
/** Who is up for longer begins another sleep. */
const APART_MS = 60 * 60_000;
const LONGEST_MS = 48 * 60 * 60_000;
const LONG_SLEEP_SECONDS = 3 * 3600;

/** The stretches of all nights, which an export tells one by one and in no good order. */
export class Sleeps {
  readonly #byOrigin = new Map<Origin, Stretch[]>();
  #count = 0;

  /** Answers whether it was taken. */
  add(origin: Origin, stage: Stage, { start, end }: { start: LocalMoment; end: LocalMoment }): boolean {
    if (end.at <= start.at || end.at - start.at > LONGEST_MS || this.#count >= STRETCHES_MAX) return false;
    this.#count += 1;
    const of = this.#byOrigin.get(origin) ?? [];
    this.#byOrigin.set(origin, of);
    of.push({ from: start.at, until: end.at, offset: end.offset, stage });
    return true;
  }

  /** Every night with its stages; of one kind of device, because two devices tell of the same night. */
  *readings(): Generator<Reading> {
    for (const [origin, stretches] of this.#ofSameKind()) {
      for (const night of nightsOf(stretches)) yield* readingsOf(origin, night);
    }
  }

  /** An update of its software in mid-life makes no other device of a watch. */
  #ofSameKind(): Iterable<[Origin, Stretch[]]> {
    const kinds = new Map<string, [Origin, Stretch[]]>();
    for (const [origin, stretches] of this.#byOrigin) {
      const { manufacturer, model } = origin.device ?? {};
      const kind = [origin.type, origin.appId, manufacturer, model].join('\n');
      const before = kinds.get(kind);
      kinds.set(kind, before ? [origin, before[1].concat(stretches)] : [origin, stretches]);
    }
    return kinds.values();
  }
}

function nightsOf(stretches: readonly Stretch[]): Stretch[][] {
  const nights: Stretch[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const stretch of stretches.toSorted(
    (one, other) => one.from - other.from || one.until - other.until,
  )) {
    const night = nights.at(-1);
    if (night && stretch.from - until <= APART_MS) night.push(stretch);
    else nights.push([stretch]);
    until = Math.max(until, stretch.until);
  }
  return nights;
}

function readingsOf(origin: Origin, night: readonly Stretch[]): Reading[] {
  const start = Math.min(...night.map(({ from }) => from));
  const end = Math.max(...night.map(({ until }) => until));
  const offset = night.at(-1)?.offset ?? 0;
  const stages = withoutOverlap(night.filter(({ stage }) => stage !== 'in_bed'));
  const key = `apple-${origin.type}-${origin.appId ?? ''}-${start / 1000}`;
  const day = dayOf(end, offset);
  const sleep = bodyOf({ start, end, offset, stages });
  const of = { origin, key, at: start, day, raw: null };
  const readings: Reading[] = [{ kind: 'summary', resource: 'sleep', body: sleep, ...of }];
  if (stages.length === 0) return readings;
  readings.push({ kind: 'summary', resource: 'sleep_cycle', body: cycleOf({ start, end, stages }), ...of });
  readings.push({ kind: 'samples', resource: 'hypnogram', origin, samples: stages.map(sampleOf) });
  return readings;
}

const numberOf = (stage: Stage): number => (stage === 'in_bed' ? -1 : NUMBERS[stage]);

const sampleOf = ({ from, until, offset, stage }: Stretch): Sample => ({
  at: from,
  until,
  offset,
  type: null,
  value: numberOf(stage),
  more: null,
});

/** What begins before its predecessor ended, begins there. */
function withoutOverlap(ordered: readonly Stretch[]): Stretch[] {
  let until = Number.NEGATIVE_INFINITY;
  return ordered.flatMap((stretch) => {
    const from = Math.max(stretch.from, until);
    if (stretch.until <= from) return [];
    until = stretch.until;
    return [{ ...stretch, from }];
  });
}

interface Night {
  readonly start: number;
  readonly end: number;
  readonly stages: readonly Stretch[];
}

function bodyOf({ start, end, offset, stages }: Night & { offset: number }): Record<string, unknown> {
  const seconds = (...of: Stage[]) =>
    Math.round(
      stages.reduce((all, { from, until, stage }) => (of.includes(stage) ? all + until - from : all), 0) /
        1000,
    );
  const total = seconds('asleep', 'light', 'deep', 'rem');
  const duration = Math.round((end - start) / 1000);
  const asleep = stages.find(({ stage }) => stage !== 'awake');
  return {
    bedtime_start: momentOf(start),
    bedtime_stop: momentOf(end),
    timezone_offset: offset,
    type:
      total >= LONG_SLEEP_SECONDS || (total === 0 && duration >= LONG_SLEEP_SECONDS)
        ? 'long_sleep'
        : 'short_sleep',
    state: 'confirmed',
    duration,
    total,
    awake: seconds('awake'),
    light: seconds('light'),
    rem: seconds('rem'),
    deep: seconds('deep'),
    latency: asleep ? Math.round((asleep.from - start) / 1000) : null,
    efficiency: total > 0 ? Math.round((1000 * total) / duration) / 10 : null,
  };
}

function cycleOf({ start, end, stages }: Night): Record<string, unknown> {
  const since = (moment: number) => Math.round((moment - start) / 1000);
  return {
    session_start: momentOf(start),
    session_end: momentOf(end),
    time_zone: null,
    stage_start_offset_second: stages.map(({ from }) => since(from)),
    stage_end_offset_second: stages.map(({ until }) => since(until)),
    stage_type: stages.map(({ stage }) => numberOf(stage)),
  };
}
