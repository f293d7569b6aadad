import { z } from 'zod';
import { DAY } from '../../platform/clock.ts';
import { findBodySchema, type SummaryBody } from '../records/records.ts';
import type { SummaryReading } from '../../readings/readings.ts';
import { SUMMARY_BOUNDS } from './bounds.ts';
import {
  findDayFault,
  describeBounds,
  createFault,
  isValidName,
  isWithin,
  findTimestampFault,
  type IngestionFault,
  type IngestionWindow,
} from './fault.ts';

const Day = z.iso.date();
const BYTES_MAX = 256 * 1024;
/** How far in the future a predicted cycle may be. */
const PREDICTION_MAX_MS = 400 * DAY;

/** Validates a day. A local day may begin before the UTC day, so it may be a day ahead. */
function findSummaryDayFault(day: string, window: IngestionWindow): [msg: string, type: string] | undefined {
  if (!Day.safeParse(day).success) return ['expected a date such as 2026-01-31', 'date_format'];
  return (
    findTimestampFault({ ...window, now: window.now + DAY }, Date.parse(day)) ?? findDayFault(window, day)
  );
}

/** All faults of a summary; empty if it is valid. */
export function findSummaryFaults(reading: SummaryReading, given: IngestionWindow): IngestionFault[] {
  const { resource, key, at, day, body } = reading;
  const window = body['is_predicted'] === true ? { ...given, now: given.now + PREDICTION_MAX_MS } : given;
  const schema = findBodySchema(resource);
  if (!schema) return [createFault(['resource'], `unknown resource ${String(resource)}`)];
  if (key === '' || !isValidName(key)) return [createFault(['key'], 'expected 1 to 200 characters')];
  const early = findTimestampFault(window, at);
  if (early) return [createFault(['at'], ...early)];
  const wrong = findSummaryDayFault(day, window);
  if (wrong) return [createFault(['day'], ...wrong)];
  const read = schema.safeParse(body);
  if (!read.success)
    return read.error.issues.map(({ path, message, code }) =>
      createFault(
        path.map((step) => (typeof step === 'number' ? step : String(step))),
        message,
        code,
      ),
    );
  return findSizeFault(reading) ?? findPlausibilityFaults(reading, read.data, window);
}

function findSizeFault({ body, raw }: SummaryReading): IngestionFault[] | undefined {
  for (const [name, part] of Object.entries({ body, raw }))
    if (JSON.stringify(part).length > BYTES_MAX)
      return [createFault([name], 'expected at most 256 KiB', 'too_large')];
  return undefined;
}

function findPlausibilityFaults(
  { resource }: SummaryReading,
  body: SummaryBody,
  window: IngestionWindow,
): IngestionFault[] {
  const faults: IngestionFault[] = [];
  for (const [path, bounds] of Object.entries(SUMMARY_BOUNDS[resource])) {
    const steps = path.split('.');
    const value = getPath(body, steps);
    if (typeof value === 'number' && !isWithin(value, bounds))
      faults.push(createFault(steps, describeBounds(bounds), 'implausible'));
  }
  return [...faults, ...findOrderFaults(body, window), ...findStageFaults(body)];
}

function getPath(body: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (here, step) => (typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined),
    body,
  );
}

/** Pairs of start and end fields. */
const TIME_RANGES = [
  ['bedtime_start', 'bedtime_stop'],
  ['time_start', 'time_end'],
  ['session_start', 'session_end'],
] as const;

function findOrderFaults(body: SummaryBody, window: IngestionWindow): IngestionFault[] {
  return TIME_RANGES.flatMap(([start, end]) => {
    const [from, to] = [body[start], body[end]];
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    const late = findTimestampFault(window, Date.parse(to));
    if (late) return [createFault([end], ...late)];
    return Date.parse(to) < Date.parse(from) ? [createFault([end], `expected an end after ${start}`)] : [];
  });
}

const STAGE_LISTS = ['stage_start_offset_second', 'stage_end_offset_second', 'stage_type'];

function findStageFaults(body: SummaryBody): IngestionFault[] {
  const lengths = STAGE_LISTS.map((name) => body[name]).flatMap((list) =>
    Array.isArray(list) ? [list.length] : [],
  );
  return new Set(lengths).size > 1
    ? [createFault(['stage_type'], 'expected three lists of equal length')]
    : [];
}
