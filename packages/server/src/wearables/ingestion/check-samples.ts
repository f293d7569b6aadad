import { DAY, isoDay, SECOND } from '../../platform/clock.ts';
import type { HealthSample } from '../../readings/readings.ts';
import { FIELD_BOUNDS } from './bounds.ts';
import {
  findDayFault,
  describeBounds,
  createFault,
  isValidName,
  isOffset,
  isWithin,
  findTimestampFault,
  type IngestionFault,
  type IngestionWindow,
} from './fault.ts';
import type { SampleSpec } from './sample-specs.ts';

const DURATION_MAX_MS = 31 * DAY;

/** Returns the normalized sample, or its fault. */
export function checkSample(
  form: SampleSpec,
  given: HealthSample,
  window: IngestionWindow,
): HealthSample | IngestionFault {
  const wrong = findTimeFault(given, window) ?? findValueFault(form, given);
  if (wrong) return wrong;
  const { at, until, offset, type, value } = given;
  const more = checkExtraFields(form, given);
  if (isFault(more)) return more;
  const ends = until === null ? null : Math.round(until);
  return { at: Math.round(at), until: form.isOverTime ? ends : null, offset, type, value, more };
}

export const isFault = (checked: object | null): checked is IngestionFault =>
  checked !== null && 'msg' in checked;

function findTimeFault(
  { at, until, offset }: HealthSample,
  window: IngestionWindow,
): IngestionFault | undefined {
  const wrong = findTimestampFault(window, at);
  if (wrong) return createFault(['timestamp'], ...wrong);
  if (offset !== null && !isOffset(offset))
    return createFault(['timezone_offset'], 'expected whole seconds east of UTC, at most 18 hours');
  if (until !== null) {
    const late = findTimestampFault(window, until);
    if (late) return createFault(['end'], ...late);
    if (until < at || until - at > DURATION_MAX_MS)
      return createFault(['end'], 'expected an end after the start and within 31 days of it');
  }
  if (window.fromDay === null && window.toDay === null) return undefined;
  const outside = findDayFault(window, isoDay(new Date(at + (offset ?? 0) * SECOND)));
  return outside && createFault(['timestamp'], ...outside);
}

function findValueFault(
  { type: wanted, hasNumber, bounds, unit }: SampleSpec,
  said: HealthSample,
): IngestionFault | undefined {
  const { type, value } = said;
  if (type === null && wanted.isNeeded) return createFault(['type'], 'Field required', 'missing');
  if (type !== null && wanted.words && !wanted.words.has(type))
    return createFault(['type'], `expected one of ${[...wanted.words].join(', ')}`, 'invalid_value');
  if (type !== null && !isValidName(type)) return createFault(['type'], 'expected at most 200 characters');
  if (!hasNumber) return undefined;
  if (value === null) return createFault(['value'], 'Field required', 'missing');
  return isWithin(value, bounds)
    ? undefined
    : createFault(['value'], describeBounds(bounds, unit), 'implausible');
}

function checkExtraFields(
  { others, unit }: SampleSpec,
  { more }: HealthSample,
): HealthSample['more'] | IngestionFault {
  if (others === null) return null;
  const read = others.safeParse(more ?? {});
  if (!read.success) {
    const [issue] = read.error.issues;
    return createFault((issue?.path ?? []).map(String), issue?.message ?? 'expected other fields');
  }
  for (const [name, value] of Object.entries(read.data)) {
    const bounds = FIELD_BOUNDS[name];
    if (bounds && typeof value === 'number' && !isWithin(value, bounds))
      return createFault([name], describeBounds(bounds, unit), 'implausible');
  }
  return Object.values(read.data).every((value) => value === null) ? null : read.data;
}
