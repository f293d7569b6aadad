import type { HealthReading } from '../../../readings/readings.ts';
import { toWireTimestamp } from '../file-workout.ts';
import { toLocalDay, toStartOfDay } from '../local-day.ts';
import { getTimestamp, getNumber, getText } from './messages.ts';
import type { FitFile } from './workouts.ts';

interface DayCounters {
  readonly at: number;
  /** The highest count per activity type. Each counter runs from midnight. */
  readonly steps: Map<string, number>;
  readonly meters: Map<string, number>;
  readonly kilocalories: Map<string, number>;
}

/** The offset that the file states, and the time zone of the user. */
interface FitLocalTime {
  readonly offset: number | null;
  readonly timeZone: string | null;
}

const DAYS_MAX = 400;
const STEP_ACTIVITIES = new Set(['walking', 'running']);

/**
 * The daily totals of a monitoring file. Watches write several such files a day, each counting from midnight: import
 * them in order.
 */
export function* readDays(file: FitFile, { offset, timeZone }: FitLocalTime): Generator<HealthReading> {
  const days = collectCounters(file, { offset, timeZone });
  for (const [day, { at, steps, meters, kilocalories }] of days) {
    const body = {
      calendar_date: day,
      date: toWireTimestamp(at),
      timezone_offset: offset,
      steps: roundOrNull(sumOf(steps)),
      distance: sumOf(meters),
      calories_active: sumOf(kilocalories),
    };
    const key = `fit-${file.origin.device?.id ?? 'day'}-${day}`;
    yield { kind: 'summary', resource: 'activity', origin: file.origin, key, at, day, body, raw: null };
  }
}

function collectCounters(
  { messages }: FitFile,
  { offset, timeZone }: FitLocalTime,
): Map<string, DayCounters> {
  const days = new Map<string, DayCounters>();
  for (const message of messages('monitoringMesgs')) {
    const at = getTimestamp(message, 'timestamp');
    const kind = getText(message, 'activityType');
    if (at === null || kind === null) continue;
    // A message at midnight closes the previous day.
    const day = toLocalDay(at - 1000, offset, timeZone);
    const counters = days.get(day) ?? createCounters(toStartOfDay(day, offset, timeZone));
    if (!days.has(day) && days.size >= DAYS_MAX) continue;
    days.set(day, counters);
    if (STEP_ACTIVITIES.has(kind)) keepHighest(counters.steps, kind, getNumber(message, 'steps'));
    keepHighest(counters.meters, kind, getNumber(message, 'distance'));
    keepHighest(counters.kilocalories, kind, getNumber(message, 'activeCalories'));
  }
  return days;
}

const createCounters = (at: number): DayCounters => ({
  at,
  steps: new Map(),
  meters: new Map(),
  kilocalories: new Map(),
});

function keepHighest(counts: Map<string, number>, kind: string, value: number | null): void {
  if (value !== null && value > (counts.get(kind) ?? -1)) counts.set(kind, value);
}

const sumOf = (counts: Map<string, number>): number | null =>
  counts.size === 0 ? null : [...counts.values()].reduce((all, one) => all + one, 0);

const roundOrNull = (value: number | null): number | null => (value === null ? null : Math.round(value));
