import type {
  ReadingOrigin,
  OriginDevice,
  HealthReading,
  HealthSample,
  SampledResource,
  SummaryReading,
} from '../../readings/readings.ts';
import { toIsoTimestamp } from './times.ts';

/*
 * Constructors of readings for provider definitions. Bodies can omit nulls and fields that follow from the day or the
 * source: ingestion fills them in.
 */

export const createOrigin = (
  provider: string,
  type: string,
  device: OriginDevice | null = null,
): ReadingOrigin => ({
  provider,
  type,
  appId: null,
  device,
  workout: null,
});

interface SampleFields {
  readonly at: number;
  readonly until?: number;
  readonly offset: number | null;
  readonly value: number | null;
  readonly type?: string | null;
  readonly more?: Readonly<Record<string, unknown>>;
}

export const createSample = ({
  at,
  until,
  offset,
  value,
  type = null,
  more,
}: SampleFields): HealthSample => ({
  at,
  until: until ?? null,
  offset,
  type,
  value,
  more: more ?? null,
});

/**
 * One reading, or none without valid samples. Sorts by time and keeps one sample for each time and type: local times
 * repeat when daylight saving ends.
 */
export function createSampleReadings(
  resource: SampledResource,
  origin: ReadingOrigin,
  given: readonly HealthSample[],
): HealthReading[] {
  const one = new Map(
    given.filter(isValidSample).map((sample) => [`${sample.at} ${sample.type ?? ''}`, sample]),
  );
  const samples = [...one.values()].toSorted((first, second) => first.at - second.at);
  return samples.length === 0 ? [] : [{ kind: 'samples', resource, origin, samples }];
}

/** Whether the times are valid dates and the value is finite. */
const isValidSample = ({ at, until, value }: HealthSample): boolean =>
  Math.abs(at) <= 8.64e15 && Math.abs(until ?? 0) <= 8.64e15 && Number.isFinite(value ?? 0);

export const createSummary = (fields: Omit<SummaryReading, 'kind'>): HealthReading => ({
  kind: 'summary',
  ...fields,
});

/** The interface's codes of sleep stages. */
export const SLEEP_STAGE = { unknown: -1, deep: 1, light: 2, rem: 3, awake: 4, byHand: 5 } as const;
export type SleepStageCode = (typeof SLEEP_STAGE)[keyof typeof SLEEP_STAGE];

export interface SleepStageInterval {
  readonly at: number;
  readonly until: number;
  readonly stage: SleepStageCode;
}

/** Merges stages recorded at a fixed step into intervals of one stage. */
export function toStageIntervals(
  codes: readonly SleepStageCode[],
  { from, stepMs }: { from: number; stepMs: number },
): SleepStageInterval[] {
  const runs: SleepStageInterval[] = [];
  codes.forEach((stage, index) => {
    const at = from + index * stepMs;
    const last = runs.at(-1);
    if (last?.stage === stage) runs[runs.length - 1] = { ...last, until: at + stepMs };
    else runs.push({ at, until: at + stepMs, stage });
  });
  return runs;
}

interface StagedSleep {
  readonly key: string;
  readonly origin: ReadingOrigin;
  readonly from: number;
  readonly to: number;
  readonly offset: number | null;
  readonly day: string;
  readonly timeZone?: string | null;
  readonly runs: readonly SleepStageInterval[];
}

/** The stages of a sleep, as hypnogram samples and as the sleep cycle with the key of the sleep. */
export function createStageReadings({
  key,
  origin,
  from,
  to,
  offset,
  day,
  timeZone,
  runs,
}: StagedSleep): HealthReading[] {
  const sorted = runs.filter(({ at, until }) => until > at).toSorted((one, other) => one.at - other.at);
  if (sorted.length === 0) return [];
  const since = (at: number) => Math.round((at - from) / 1000);
  const body = {
    session_start: toIsoTimestamp(from),
    session_end: toIsoTimestamp(to),
    time_zone: timeZone ?? null,
    stage_start_offset_second: sorted.map(({ at }) => since(at)),
    stage_end_offset_second: sorted.map(({ until }) => since(until)),
    stage_type: sorted.map(({ stage }) => stage),
  };
  return [
    createSummary({ resource: 'sleep_cycle', origin, key, at: from, day, body, raw: null }),
    ...createSampleReadings(
      'hypnogram',
      origin,
      sorted.map(({ at, until, stage }) => createSample({ at, until, offset, value: stage })),
    ),
  ];
}

/** The fixed date of readings without a date (profiles), so that every pull gives the same reading. */
export const UNDATED = { at: 0, day: '1970-01-01' } as const;
