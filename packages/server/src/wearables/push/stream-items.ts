import { STREAM_COLUMNS } from '../records/records.ts';
import type { StreamColumns } from '../../readings/readings.ts';
import { createFault, type IngestionFault } from '../ingestion/ingestion.ts';

/**
 * Parses the stream of a workout: columns as in the read response; empty columns are dropped. Plausibility is checked
 * at ingestion. Only the first fault is reported, because there may be a million.
 */
export function parseStream(given: unknown): StreamColumns | IngestionFault {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return createFault(['stream'], 'expected an object of columns', 'object_type');
  const columns: Partial<Record<keyof StreamColumns, (number | null)[]>> = {};
  for (const name of STREAM_COLUMNS) {
    const column = parseColumn(name, Reflect.get(given, name));
    if (!Array.isArray(column)) return column;
    if (column.length > 0) columns[name] = column;
  }
  const { time = [], ...others } = columns;
  return { ...others, time: time.filter((moment) => moment !== null) };
}

function parseColumn(name: keyof StreamColumns, given: unknown): (number | null)[] | IngestionFault {
  const isTime = name === 'time';
  if (given === undefined || given === null)
    return isTime ? createFault(['stream', name], 'Field required', 'missing') : [];
  if (!Array.isArray(given)) return createFault(['stream', name], 'expected a list', 'list_type');
  const wrong = given.findIndex((value) => typeof value !== 'number' && (isTime || value !== null));
  return wrong < 0 ? given : createFault(['stream', name, wrong], 'expected a number', 'number_type');
}
