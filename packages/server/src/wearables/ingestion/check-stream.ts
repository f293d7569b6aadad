import type { StreamColumns } from '../../readings/readings.ts';
import { STREAM_COLUMNS } from '../records/records.ts';
import { STREAM_BOUNDS } from './bounds.ts';
import {
  describeBounds,
  createFault,
  isValidName,
  isWithin,
  findTimestampFault,
  type IngestionFault,
  type IngestionWindow,
} from './fault.ts';

const POINTS_MAX = 200_000;

interface StreamCheckResult {
  readonly columns: StreamColumns | null;
  readonly faults: readonly IngestionFault[];
}

/**
 * Validates a stream and sorts it by time; null if it is invalid. Implausible values are set to null, because a chest
 * strap that slips once must not invalidate a run; each affected column is reported once.
 */
export function checkStream(
  workoutKey: string,
  given: StreamColumns,
  window: IngestionWindow,
): StreamCheckResult {
  const refused = (loc: (string | number)[], msg: string): StreamCheckResult => ({
    columns: null,
    faults: [createFault(loc, msg)],
  });
  const { length } = given.time;
  if (workoutKey === '' || !isValidName(workoutKey))
    return refused(['workoutKey'], 'expected 1 to 200 characters');
  if (length === 0 || length > POINTS_MAX) return refused(['time'], `expected 1 to ${POINTS_MAX} points`);
  const wrongTime = given.time.findIndex((seconds) => findTimestampFault(window, seconds * 1000));
  if (wrongTime >= 0) return refused(['time', wrongTime], 'expected seconds since 1970, in the past');
  const uneven = STREAM_COLUMNS.find((name) => given[name] !== undefined && given[name].length !== length);
  if (uneven) return refused([uneven], `expected ${length} points, like time`);
  return dropImplausible(sortByTime(given));
}

function dropImplausible(given: StreamColumns): StreamCheckResult {
  const faults: IngestionFault[] = [];
  const columns: Record<string, readonly (number | null)[]> = {};
  for (const name of STREAM_COLUMNS) {
    const column = given[name];
    if (name === 'time' || column === undefined) continue;
    const bounds = STREAM_BOUNDS[name];
    const isBelieved = (value: number | null) => value === null || isWithin(value, bounds);
    const first = column.findIndex((value) => !isBelieved(value));
    columns[name] = first < 0 ? column : column.map((value) => (isBelieved(value) ? value : null));
    if (first >= 0) faults.push(createFault([name, first], describeBounds(bounds), 'implausible'));
  }
  return { columns: { ...columns, time: given.time.map(Math.round) }, faults };
}

function sortByTime(given: StreamColumns): StreamColumns {
  const { time } = given;
  if (time.every((moment, index) => index === 0 || moment >= (time[index - 1] ?? 0))) return given;
  const order = time.map((moment, index) => ({ moment, index })).toSorted((a, b) => a.moment - b.moment);
  const columns = STREAM_COLUMNS.flatMap((name) => {
    const column: readonly (number | null)[] | undefined = given[name];
    return column ? [[name, order.map(({ index }) => column[index] ?? null)] as const] : [];
  });
  return { ...Object.fromEntries(columns), time: order.map(({ moment }) => moment) };
}
