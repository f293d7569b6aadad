import type { Reading } from '../../readings.ts';
import { dayOf, momentOf } from '../activity.ts';
import { momentIn, numberIn, textIn } from './messages.ts';
import type { FitFile } from './workouts.ts';

interface Counters {
  readonly at: number;
  /** The highest count of each kind of movement: they run from midnight on, each for itself. */
  readonly steps: Map<string, number>;
  readonly meters: Map<string, number>;
  readonly kilocalories: Map<string, number>;
}

const DAYS_MAX = 400;
const PACED = new Set(['walking', 'running']);

/**
 * What a watch counted on each day of a monitoring file. Watches write several such files a day, each counting from
 * midnight: they are to be taken in their order.
 */
export function* daysOf(file: FitFile, offset: number | null): Generator<Reading> {
  const days = countersOf(file, offset);
  for (const [day, { at, steps, meters, kilocalories }] of days) {
    const body = {
      calendar_date: day,
      date: momentOf(at),
      timezone_offset: offset,
      steps: rounded(sumOf(steps)),
      distance: sumOf(meters),
      calories_active: sumOf(kilocalories),
    };
    const key = `fit-${file.origin.device?.id ?? 'day'}-${day}`;
    yield { kind: 'summary', resource: 'activity', origin: file.origin, key, at, day, body, raw: null };
  }
}

function countersOf({ messages }: FitFile, offset: number | null): Map<string, Counters> {
  const days = new Map<string, Counters>();
  for (const message of messages('monitoringMesgs')) {
    const at = momentIn(message, 'timestamp');
    const kind = textIn(message, 'activityType');
    if (at === null || kind === null) continue;
    // What is written at midnight closes the day before.
    const day = dayOf(at - 1000, offset);
    const counters = days.get(day) ?? emptyDay(day, offset);
    if (!days.has(day) && days.size >= DAYS_MAX) continue;
    days.set(day, counters);
    if (PACED.has(kind)) higher(counters.steps, kind, numberIn(message, 'steps'));
    higher(counters.meters, kind, numberIn(message, 'distance'));
    higher(counters.kilocalories, kind, numberIn(message, 'activeCalories'));
  }
  return days;
}

const emptyDay = (day: string, offset: number | null): Counters => ({
  at: Date.parse(`${day}T00:00:00Z`) - (offset ?? 0) * 1000,
  steps: new Map(),
  meters: new Map(),
  kilocalories: new Map(),
});

function higher(counts: Map<string, number>, kind: string, value: number | null): void {
  if (value !== null && value > (counts.get(kind) ?? -1)) counts.set(kind, value);
}

const sumOf = (counts: Map<string, number>): number | null =>
  counts.size === 0 ? null : [...counts.values()].reduce((all, one) => all + one, 0);

const rounded = (value: number | null): number | null => (value === null ? null : Math.round(value));
