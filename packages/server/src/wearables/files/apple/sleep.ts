import type { ReadingOrigin, HealthReading, HealthSample } from '../../../readings/readings.ts';
import { toWireTimestamp } from '../file-workout.ts';
import { toLocalDay } from '../local-day.ts';
import type { LocalTimestamp } from './timestamps.ts';

/** Our stage for each value of a sleep record, without the common prefix. */
// prettier-ignore
const STAGES_BY_VALUE: Readonly<Record<string, AppleSleepStage>> = {
  InBed: 'in_bed', Awake: 'awake', Asleep: 'asleep', AsleepUnspecified: 'asleep', AsleepCore: 'light',
  AsleepDeep: 'deep', AsleepREM: 'rem',
};
type AppleSleepStage = 'in_bed' | 'awake' | 'asleep' | 'light' | 'deep' | 'rem';

/** Stage codes of the contract; -1 for sleep of an unspecified stage. */
const STAGE_CODES: Readonly<Record<Exclude<AppleSleepStage, 'in_bed'>, number>> = {
  deep: 1,
  light: 2,
  rem: 3,
  awake: 4,
  asleep: -1,
};

export const parseSleepStage = (value: string | undefined): AppleSleepStage | undefined =>
  STAGES_BY_VALUE[(value ?? '').replace('HKCategoryValueSleepAnalysis', '')];

interface AppleSleepInterval {
  readonly from: number;
  readonly until: number;
  readonly offset: number;
  readonly stage: AppleSleepStage;
}

/** A year of nights has about ten thousand intervals. */
const INTERVALS_MAX = 500_000;
/** A longer gap starts another sleep. */
const SESSION_GAP_MS = 60 * 60_000;
const INTERVAL_MAX_MS = 48 * 60 * 60_000;
const LONG_SLEEP_SECONDS = 3 * 3600;

/** Collects the sleep intervals of all nights, which an export lists unordered. */
export class SleepCollector {
  readonly #byOrigin = new Map<ReadingOrigin, AppleSleepInterval[]>();
  #count = 0;

  /** Returns whether the interval was accepted. */
  add(
    origin: ReadingOrigin,
    stage: AppleSleepStage,
    { start, end }: { start: LocalTimestamp; end: LocalTimestamp },
  ): boolean {
    if (end.at <= start.at || end.at - start.at > INTERVAL_MAX_MS || this.#count >= INTERVALS_MAX)
      return false;
    this.#count += 1;
    const of = this.#byOrigin.get(origin) ?? [];
    this.#byOrigin.set(origin, of);
    of.push({ from: start.at, until: end.at, offset: end.offset, stage });
    return true;
  }

  /** Every night with its stages, separately per kind of device, because several devices record the same night. */
  *readings(): Generator<HealthReading> {
    for (const [origin, stretches] of this.#ofSameKind()) {
      for (const night of groupNights(stretches)) yield* toSleepReadings(origin, night);
    }
  }

  /** Merges origins that differ only in the software version: an update does not make another device. */
  #ofSameKind(): Iterable<[ReadingOrigin, AppleSleepInterval[]]> {
    const kinds = new Map<string, [ReadingOrigin, AppleSleepInterval[]]>();
    for (const [origin, stretches] of this.#byOrigin) {
      const { manufacturer, model } = origin.device ?? {};
      const kind = [origin.type, origin.appId, manufacturer, model].join('\n');
      const before = kinds.get(kind);
      kinds.set(kind, before ? [origin, before[1].concat(stretches)] : [origin, stretches]);
    }
    return kinds.values();
  }
}

function groupNights(stretches: readonly AppleSleepInterval[]): AppleSleepInterval[][] {
  const nights: AppleSleepInterval[][] = [];
  let until = Number.NEGATIVE_INFINITY;
  for (const stretch of stretches.toSorted(
    (one, other) => one.from - other.from || one.until - other.until,
  )) {
    const night = nights.at(-1);
    if (night && stretch.from - until <= SESSION_GAP_MS) night.push(stretch);
    else nights.push([stretch]);
    until = Math.max(until, stretch.until);
  }
  return nights;
}

function toSleepReadings(origin: ReadingOrigin, night: readonly AppleSleepInterval[]): HealthReading[] {
  const start = Math.min(...night.map(({ from }) => from));
  const end = Math.max(...night.map(({ until }) => until));
  const offset = night.at(-1)?.offset ?? 0;
  const stages = removeOverlap(night.filter(({ stage }) => stage !== 'in_bed'));
  const key = `apple-${origin.type}-${origin.appId ?? ''}-${start / 1000}`;
  const day = toLocalDay(end, offset, null);
  const sleep = toSleepBody({ start, end, offset, stages });
  const of = { origin, key, at: start, day, raw: null };
  const readings: HealthReading[] = [{ kind: 'summary', resource: 'sleep', body: sleep, ...of }];
  if (stages.length === 0) return readings;
  readings.push({
    kind: 'summary',
    resource: 'sleep_cycle',
    body: toSleepCycleBody({ start, end, stages }),
    ...of,
  });
  readings.push({ kind: 'samples', resource: 'hypnogram', origin, samples: stages.map(toHypnogramSample) });
  return readings;
}

const toStageCode = (stage: AppleSleepStage): number => (stage === 'in_bed' ? -1 : STAGE_CODES[stage]);

const toHypnogramSample = ({ from, until, offset, stage }: AppleSleepInterval): HealthSample => ({
  at: from,
  until,
  offset,
  type: null,
  value: toStageCode(stage),
  more: null,
});

/** Clips the start of each interval to the end of the previous one. */
function removeOverlap(ordered: readonly AppleSleepInterval[]): AppleSleepInterval[] {
  let until = Number.NEGATIVE_INFINITY;
  return ordered.flatMap((stretch) => {
    const from = Math.max(stretch.from, until);
    if (stretch.until <= from) return [];
    until = stretch.until;
    return [{ ...stretch, from }];
  });
}

interface AppleNight {
  readonly start: number;
  readonly end: number;
  readonly stages: readonly AppleSleepInterval[];
}

function toSleepBody({
  start,
  end,
  offset,
  stages,
}: AppleNight & { offset: number }): Record<string, unknown> {
  const seconds = (...of: AppleSleepStage[]) =>
    Math.round(
      stages.reduce((all, { from, until, stage }) => (of.includes(stage) ? all + until - from : all), 0) /
        1000,
    );
  const total = seconds('asleep', 'light', 'deep', 'rem');
  const duration = Math.round((end - start) / 1000);
  const asleep = stages.find(({ stage }) => stage !== 'awake');
  return {
    bedtime_start: toWireTimestamp(start),
    bedtime_stop: toWireTimestamp(end),
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

function toSleepCycleBody({ start, end, stages }: AppleNight): Record<string, unknown> {
  const since = (moment: number) => Math.round((moment - start) / 1000);
  return {
    session_start: toWireTimestamp(start),
    session_end: toWireTimestamp(end),
    time_zone: null,
    stage_start_offset_second: stages.map(({ from }) => since(from)),
    stage_end_offset_second: stages.map(({ until }) => since(until)),
    stage_type: stages.map(({ stage }) => toStageCode(stage)),
  };
}
