import { HOUR, MINUTE } from '../../../platform/clock.ts';
import { createSample, createSampleReadings } from '../create-readings.ts';
import type { PullFunction } from '../definition.ts';
import type { ProviderTimeSpan } from '../port.ts';
import { parseInstant } from '../times.ts';
import { roundTo } from '../wire.ts';
import { TRACKER_ORIGIN } from './origins.ts';
import { readCalendar, rollUp } from './requests.ts';
import * as wire from './wire.ts';

/*
 * Steps and heart rates are read in the windows of the former API, a quarter of an hour and a minute: a sample is
 * identified by its time, so the same day is not stored twice.
 */

const STEP_MS = 15 * MINUTE;

/** The windows that began and ended in the span. Undefined if there are none. */
function alignTo({ from, to }: ProviderTimeSpan, windowMs: number): ProviderTimeSpan | undefined {
  const [first, last] = [from, to].map((time) => Math.floor(time.getTime() / windowMs) * windowMs);
  return first !== undefined && last !== undefined && first < last
    ? { from: new Date(first), to: new Date(last) }
    : undefined;
}

/** Offsets change at full hours at the earliest, and a lookup for each of thousands of samples takes seconds. */
function rememberByHour(offsetAt: (at: number) => number | null): (at: number) => number | null {
  const known = new Map<number, number | null>();
  return (at) => {
    const hour = Math.floor(at / HOUR);
    const offset = known.has(hour) ? (known.get(hour) ?? null) : offsetAt(at);
    known.set(hour, offset);
    return offset;
  };
}

export const heartrate: PullFunction = async function* (api, { span }) {
  const aligned = alignTo(span, MINUTE);
  if (!aligned) return;
  const offsetAt = rememberByHour((await readCalendar(api, span)).offsetAt);
  const asked = { dataType: 'heart-rate', span: aligned, windowSeconds: 60 };
  const minutes = await rollUp(api, wire.HeartRateRollup, asked);
  const samples = minutes.flatMap(({ startTime, heartRate }) => {
    if (heartRate == null) return [];
    const { at } = parseInstant(startTime);
    return [createSample({ at, offset: offsetAt(at), value: roundTo(heartRate.beatsPerMinuteAvg) })];
  });
  yield* createSampleReadings('heartrate', TRACKER_ORIGIN, samples);
};

export const steps: PullFunction = async function* (api, { span }) {
  const aligned = alignTo(span, STEP_MS);
  if (!aligned) return;
  const offsetAt = rememberByHour((await readCalendar(api, span)).offsetAt);
  const asked = { dataType: 'steps', span: aligned, windowSeconds: STEP_MS / 1000 };
  const quarters = await rollUp(api, wire.StepsRollup, asked);
  const samples = quarters.flatMap(({ startTime, steps: walked }) => {
    const { at } = parseInstant(startTime);
    const value = walked?.countSum ?? 0;
    return value > 0 ? [createSample({ at, until: at + STEP_MS, offset: offsetAt(at), value })] : [];
  });
  yield* createSampleReadings('steps', TRACKER_ORIGIN, samples);
};
