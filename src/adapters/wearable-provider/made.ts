import type {
  Origin,
  OriginDevice,
  Reading,
  Sample,
  SampledResource,
  SummaryReading,
} from '../../wearables/readings.ts';
import { isoAt } from './times.ts';

/*
 * Readings as definitions make them. Bodies leave out what is null, and what follows from the day or the source: who
 * takes them in fills it.
 */

export const originOf = (provider: string, type: string, device: OriginDevice | null = null): Origin => ({
  provider,
  type,
  appId: null,
  device,
  workout: null,
});

interface Measured {
  readonly at: number;
  readonly until?: number;
  readonly offset: number | null;
  readonly value: number | null;
  readonly type?: string | null;
  readonly more?: Readonly<Record<string, unknown>>;
}

export const sampleOf = ({ at, until, offset, value, type = null, more }: Measured): Sample => ({
  at,
  until: until ?? null,
  offset,
  type,
  value,
  more: more ?? null,
});

/**
 * One reading, or none of nothing; in the order of time, and one of each moment: where clocks are put back, the wall
 * shows an hour twice.
 */
export function samplesOf(resource: SampledResource, origin: Origin, given: readonly Sample[]): Reading[] {
  const one = new Map(given.filter(isReal).map((sample) => [`${sample.at} ${sample.type ?? ''}`, sample]));
  const samples = [...one.values()].toSorted((first, second) => first.at - second.at);
  return samples.length === 0 ? [] : [{ kind: 'samples', resource, origin, samples }];
}

/** Of a time that there is, with a number that is one. */
const isReal = ({ at, until, value }: Sample): boolean =>
  Math.abs(at) <= 8.64e15 && Math.abs(until ?? 0) <= 8.64e15 && Number.isFinite(value ?? 0);

export const summaryOf = (fields: Omit<SummaryReading, 'kind'>): Reading => ({ kind: 'summary', ...fields });

/** Codes of stages as the interface has them. */
export const STAGE = { unknown: -1, deep: 1, light: 2, rem: 3, awake: 4, byHand: 5 } as const;
export type Stage = (typeof STAGE)[keyof typeof STAGE];

export interface StageRun {
  readonly at: number;
  readonly until: number;
  readonly stage: Stage;
}

/** Runs of one stage each, of stages that were written down every so often. */
export function runsOf(
  codes: readonly Stage[],
  { from, stepMs }: { from: number; stepMs: number },
): StageRun[] {
  const runs: StageRun[] = [];
  codes.forEach((stage, index) => {
    const at = from + index * stepMs;
    const last = runs.at(-1);
    if (last?.stage === stage) runs[runs.length - 1] = { ...last, until: at + stepMs };
    else runs.push({ at, until: at + stepMs, stage });
  });
  return runs;
}

interface Staged {
  readonly key: string;
  readonly origin: Origin;
  readonly from: number;
  readonly to: number;
  readonly offset: number | null;
  readonly day: string;
  readonly timeZone?: string | null;
  readonly runs: readonly StageRun[];
}

/** The stages of a sleep: as samples, and as the cycle that belongs to the sleep of the same key. */
export function stagesOf({ key, origin, from, to, offset, day, timeZone, runs }: Staged): Reading[] {
  const sorted = runs.filter(({ at, until }) => until > at).toSorted((one, other) => one.at - other.at);
  if (sorted.length === 0) return [];
  const since = (at: number) => Math.round((at - from) / 1000);
  const body = {
    session_start: isoAt(from),
    session_end: isoAt(to),
    time_zone: timeZone ?? null,
    stage_start_offset_second: sorted.map(({ at }) => since(at)),
    stage_end_offset_second: sorted.map(({ until }) => since(until)),
    stage_type: sorted.map(({ stage }) => stage),
  };
  return [
    summaryOf({ resource: 'sleep_cycle', origin, key, at: from, day, body, raw: null }),
    ...samplesOf(
      'hypnogram',
      origin,
      sorted.map(({ at, until, stage }) => sampleOf({ at, until, offset, value: stage })),
    ),
  ];
}

/** A profile is of no day: it has the first one, so that it stays the same whenever it is asked for. */
export const ofNoDay = { at: 0, day: '1970-01-01' } as const;
