import { Moment } from '../source.ts';
import type { Sample } from '../readings.ts';
import { fault, type Fault, type SampleForm } from '../taking-in/taking-in.ts';
import type { Item } from './items.ts';

/** What an item says, if it can be read; whether it can be believed is asked where it is taken in. */
export function sampleOf(form: SampleForm, item: Item): Sample | Fault {
  const { timezone_offset: offset = null, type = null, unit = null, value = null, end = null } = item;
  const at = beginningOf(form, item);
  if (typeof at !== 'number') return at;
  const until = end === null || !form.isOverTime ? null : momentOf(end);
  if (until === undefined) return notMoment('end');
  if (unit !== null && unit !== form.unit) return fault(['unit'], `expected ${form.unit}`, 'wrong_unit');
  if (offset !== null && typeof offset !== 'number')
    return fault(['timezone_offset'], 'expected seconds east of UTC', 'int_type');
  if (type !== null && typeof type !== 'string') return fault(['type'], 'expected a text', 'string_type');
  if (!form.hasNumber) return { at, until, offset, type, value: null, more: item };
  if (value === null) return fault(['value'], 'Field required', 'missing');
  if (typeof value !== 'number') return fault(['value'], 'expected a number', 'number_type');
  return { at, until, offset, type, value, more: form.others && item };
}

/** Of what lasts it may be called `start`, too, as it is where samples are read. */
function beginningOf({ isOverTime }: SampleForm, { timestamp, start = null }: Item): number | Fault {
  const begins = isOverTime && start !== null ? momentOf(start) : null;
  if (begins === undefined) return notMoment('start');
  if (timestamp === undefined || timestamp === null)
    return begins ?? fault(['timestamp'], 'Field required', 'missing');
  const at = momentOf(timestamp);
  if (at === undefined) return notMoment('timestamp');
  if (begins !== null && begins !== at) return fault(['start'], 'expected the same moment as timestamp');
  return at;
}

const notMoment = (field: string) =>
  fault([field], 'expected a moment as 2026-01-15T09:30:00+00:00', 'datetime_format');

function momentOf(given: unknown): number | undefined {
  if (!Moment.safeParse(given).success) return undefined;
  const moment = Date.parse(String(given));
  return Number.isNaN(moment) ? undefined : moment;
}
