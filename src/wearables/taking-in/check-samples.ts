import { DAY, isoDay, SECOND } from '../../platform/clock.ts';
import type { Sample } from '../readings.ts';
import { FIELD_BOUNDS } from './bounds.ts';
import {
  dayFault,
  expectedWithin,
  fault,
  isName,
  isOffset,
  isWithin,
  momentFault,
  type Fault,
  type Window,
} from './fault.ts';
import type { SampleForm } from './sample-forms.ts';

const LONGEST_MS = 31 * DAY;

/** The sample as it is kept, or what is wrong with it. */
export function checkSample(form: SampleForm, given: Sample, window: Window): Sample | Fault {
  const wrong = timeFault(given, window) ?? saidFault(form, given);
  if (wrong) return wrong;
  const { at, until, offset, type, value } = given;
  const more = othersOf(form, given);
  if (isFault(more)) return more;
  const ends = until === null ? null : Math.round(until);
  return { at: Math.round(at), until: form.isOverTime ? ends : null, offset, type, value, more };
}

export const isFault = (checked: object | null): checked is Fault => checked !== null && 'msg' in checked;

function timeFault({ at, until, offset }: Sample, window: Window): Fault | undefined {
  const wrong = momentFault(window, at);
  if (wrong) return fault(['timestamp'], ...wrong);
  if (offset !== null && !isOffset(offset))
    return fault(['timezone_offset'], 'expected seconds east of UTC, at most 18 hours');
  if (until !== null) {
    const late = momentFault(window, until);
    if (late) return fault(['end'], ...late);
    if (until < at || until - at > LONGEST_MS)
      return fault(['end'], 'expected an end after the start, and within 31 days of it');
  }
  if (window.fromDay === null && window.toDay === null) return undefined;
  const outside = dayFault(window, isoDay(new Date(at + (offset ?? 0) * SECOND)));
  return outside && fault(['timestamp'], ...outside);
}

function saidFault({ type: wanted, hasNumber, bounds, unit }: SampleForm, said: Sample): Fault | undefined {
  const { type, value } = said;
  if (type === null && wanted.isNeeded) return fault(['type'], 'Field required', 'missing');
  if (type !== null && wanted.words && !wanted.words.has(type))
    return fault(['type'], `expected one of ${[...wanted.words].join(', ')}`, 'invalid_value');
  if (type !== null && !isName(type)) return fault(['type'], 'expected at most 200 characters');
  if (!hasNumber) return undefined;
  if (value === null) return fault(['value'], 'Field required', 'missing');
  return isWithin(value, bounds) ? undefined : fault(['value'], expectedWithin(bounds, unit), 'implausible');
}

function othersOf({ others, unit }: SampleForm, { more }: Sample): Sample['more'] | Fault {
  if (others === null) return null;
  const read = others.safeParse(more ?? {});
  if (!read.success) {
    const [issue] = read.error.issues;
    return fault((issue?.path ?? []).map(String), issue?.message ?? 'expected other fields');
  }
  for (const [name, value] of Object.entries(read.data)) {
    const bounds = FIELD_BOUNDS[name];
    if (bounds && typeof value === 'number' && !isWithin(value, bounds))
      return fault([name], expectedWithin(bounds, unit), 'implausible');
  }
  return Object.values(read.data).every((value) => value === null) ? null : read.data;
}
