import type { HealthSample } from '../../readings/readings.ts';
import { createFault, type IngestionFault, type SampleSpec } from '../ingestion/ingestion.ts';
import type { PushItem } from './items.ts';
import { Timestamp } from '../../platform/timestamp.ts';

/** Parses an item. Plausibility is checked at ingestion. */
export function parseSample(form: SampleSpec, item: PushItem): HealthSample | IngestionFault {
  const { timezone_offset: offset = null, type = null, unit = null, value = null, end = null } = item;
  const at = parseStart(form, item);
  if (typeof at !== 'number') return at;
  const until = end === null || !form.isOverTime ? null : parseTimestamp(end);
  if (until === undefined) return timestampFault('end');
  if (unit !== null && unit !== form.unit)
    return createFault(['unit'], `expected ${form.unit}`, 'wrong_unit');
  if (offset !== null && typeof offset !== 'number')
    return createFault(['timezone_offset'], 'expected seconds east of UTC', 'int_type');
  if (type !== null && typeof type !== 'string')
    return createFault(['type'], 'expected a string', 'string_type');
  if (!form.hasNumber) return { at, until, offset, type, value: null, more: item };
  if (value === null) return createFault(['value'], 'Field required', 'missing');
  if (typeof value !== 'number') return createFault(['value'], 'expected a number', 'number_type');
  return { at, until, offset, type, value, more: form.others && item };
}

/** Interval samples may use `start` instead of `timestamp`, as in read responses. */
function parseStart(
  { isOverTime }: SampleSpec,
  { timestamp, start = null }: PushItem,
): number | IngestionFault {
  const begins = isOverTime && start !== null ? parseTimestamp(start) : null;
  if (begins === undefined) return timestampFault('start');
  if (timestamp === undefined || timestamp === null)
    return begins ?? createFault(['timestamp'], 'Field required', 'missing');
  const at = parseTimestamp(timestamp);
  if (at === undefined) return timestampFault('timestamp');
  if (begins !== null && begins !== at) return createFault(['start'], 'expected the same value as timestamp');
  return at;
}

const timestampFault = (field: string) =>
  createFault([field], 'expected a timestamp such as 2026-01-15T09:30:00+00:00', 'datetime_format');

function parseTimestamp(given: unknown): number | undefined {
  if (!Timestamp.safeParse(given).success) return undefined;
  const moment = Date.parse(String(given));
  return Number.isNaN(moment) ? undefined : moment;
}
