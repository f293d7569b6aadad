import { STREAM_COLUMNS } from '../records/records.ts';
import type { StreamColumns } from '../readings.ts';
import { fault, type Fault } from '../taking-in/taking-in.ts';

/**
 * What a workout says of its stream, if it can be read: columns as they are read, of which an empty one says nothing.
 * Whether it can be believed is asked where it is taken in. The first fault is enough: there may be a million.
 */
export function streamOf(given: unknown): StreamColumns | Fault {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return fault(['stream'], 'expected an object of columns', 'object_type');
  const columns: Partial<Record<keyof StreamColumns, (number | null)[]>> = {};
  for (const name of STREAM_COLUMNS) {
    const column = columnOf(name, Reflect.get(given, name));
    if (!Array.isArray(column)) return column;
    if (column.length > 0) columns[name] = column;
  }
  const { time = [], ...others } = columns;
  return { ...others, time: time.filter((moment) => moment !== null) };
}

function columnOf(name: keyof StreamColumns, given: unknown): (number | null)[] | Fault {
  const isTime = name === 'time';
  if (given === undefined || given === null)
    return isTime ? fault(['stream', name], 'Field required', 'missing') : [];
  if (!Array.isArray(given)) return fault(['stream', name], 'expected a list', 'list_type');
  const wrong = given.findIndex((value) => typeof value !== 'number' && (isTime || value !== null));
  return wrong < 0 ? given : fault(['stream', name, wrong], 'expected a number', 'number_type');
}
