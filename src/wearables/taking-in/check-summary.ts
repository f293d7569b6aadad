import { z } from 'zod';
import { DAY } from '../../platform/clock.ts';
import { bodySchema, type Body } from '../records/records.ts';
import type { SummaryReading } from '../readings.ts';
import { SUMMARY_BOUNDS } from './bounds.ts';
import {
  dayFault,
  expectedWithin,
  fault,
  isName,
  isWithin,
  momentFault,
  type Fault,
  type Window,
} from './fault.ts';

const Day = z.iso.date();
const BYTES_MAX = 256 * 1024;
/** So far ahead of us a cycle may be that is only predicted. */
const PREDICTED_MS = 400 * DAY;

/** Why a day is not taken in. That of a user may have begun before ours: it may lie a day later than its moments. */
function wrongDay(day: string, window: Window): [msg: string, type: string] | undefined {
  if (!Day.safeParse(day).success) return ['expected a day as 2026-01-31', 'date_format'];
  return momentFault({ ...window, now: window.now + DAY }, Date.parse(day)) ?? dayFault(window, day);
}

/** Everything that is wrong with a summary; nothing where it can be kept. */
export function summaryFaults(reading: SummaryReading, given: Window): Fault[] {
  const { resource, key, at, day, body } = reading;
  const window = body['is_predicted'] === true ? { ...given, now: given.now + PREDICTED_MS } : given;
  const schema = bodySchema(resource);
  if (!schema) return [fault(['resource'], `there is no resource ${String(resource)}`)];
  if (key === '' || !isName(key)) return [fault(['key'], 'expected 1 to 200 characters')];
  const early = momentFault(window, at);
  if (early) return [fault(['at'], ...early)];
  const wrong = wrongDay(day, window);
  if (wrong) return [fault(['day'], ...wrong)];
  const read = schema.safeParse(body);
  if (!read.success)
    return read.error.issues.map(({ path, message, code }) =>
      fault(
        path.map((step) => (typeof step === 'number' ? step : String(step))),
        message,
        code,
      ),
    );
  return tooLarge(reading) ?? implausible(reading, read.data, window);
}

function tooLarge({ body, raw }: SummaryReading): Fault[] | undefined {
  for (const [name, part] of Object.entries({ body, raw }))
    if (JSON.stringify(part).length > BYTES_MAX)
      return [fault([name], 'expected at most 256 KiB', 'too_large')];
  return undefined;
}

function implausible({ resource }: SummaryReading, body: Body, window: Window): Fault[] {
  const faults: Fault[] = [];
  for (const [path, bounds] of Object.entries(SUMMARY_BOUNDS[resource])) {
    const steps = path.split('.');
    const value = at(body, steps);
    if (typeof value === 'number' && !isWithin(value, bounds))
      faults.push(fault(steps, expectedWithin(bounds), 'implausible'));
  }
  return [...faults, ...orderFaults(body, window), ...stageFaults(body)];
}

function at(body: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>(
    (here, step) => (typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined),
    body,
  );
}

/** Fields that are the start and the end of one time. */
const TIMES = [
  ['bedtime_start', 'bedtime_stop'],
  ['time_start', 'time_end'],
  ['session_start', 'session_end'],
] as const;

function orderFaults(body: Body, window: Window): Fault[] {
  return TIMES.flatMap(([start, end]) => {
    const [from, to] = [body[start], body[end]];
    if (typeof from !== 'string' || typeof to !== 'string') return [];
    const late = momentFault(window, Date.parse(to));
    if (late) return [fault([end], ...late)];
    return Date.parse(to) < Date.parse(from) ? [fault([end], `expected an end after ${start}`)] : [];
  });
}

const STAGE_LISTS = ['stage_start_offset_second', 'stage_end_offset_second', 'stage_type'];

function stageFaults(body: Body): Fault[] {
  const lengths = STAGE_LISTS.map((name) => body[name]).flatMap((list) =>
    Array.isArray(list) ? [list.length] : [],
  );
  return new Set(lengths).size > 1 ? [fault(['stage_type'], 'expected three lists of the same length')] : [];
}
