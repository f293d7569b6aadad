import type { ExpectedResult, Interpretation } from '../../../adapters/lab-network/port.ts';
import type { ReferenceRange } from '../reference-range.ts';
import type { FlagReading } from './flags.ts';
import type { Extent, ReadValue } from './value.ts';
import { isUsualAnswer } from './words.ts';

export interface Judged {
  readonly isAbove: boolean | null;
  readonly isBelow: boolean | null;
  readonly interpretation: Interpretation;
  readonly sourceInterpretation: Interpretation | null;
}

export interface ToJudge {
  /** As printed. */
  readonly result: string;
  readonly value: ReadValue;
  readonly range: ReferenceRange;
  readonly rangeText: string | null;
  readonly flags: FlagReading;
  readonly expected: ExpectedResult;
  /** Whether the unit is that of the catalogue, so that its alarm bounds hold. */
  readonly isCatalogUnit: boolean;
}

/**
 * The laboratory's own flag is what it says; where it set none, the value is held against the printed range and the
 * alarm bounds of the catalogue. Unknown where neither says anything.
 */
export function judge(given: ToJudge): Judged {
  const sides = sidesOf(given);
  const source = sourceOf(given);
  return { ...sides, interpretation: source ?? derived(given, sides), sourceInterpretation: source };
}

/** `<` and `>` mean off the scale in the standard, and panic values at some laboratories: the alarm bounds decide. */
function sourceOf(given: ToJudge): Interpretation | null {
  const { flags } = given;
  return flags.isOffScale && isAlarming(given) ? 'critical' : flags.interpretation;
}

function derived(given: ToJudge, { isAbove, isBelow }: Pick<Judged, 'isAbove' | 'isBelow'>): Interpretation {
  if (isAlarming(given)) return 'critical';
  if (isAbove === true || isBelow === true) return 'abnormal';
  if (isAbove === false && isBelow === false) return 'normal';
  const { value, result, rangeText, expected } = given;
  if (value.type === 'numeric' || value.type === 'range' || value.extent) return 'unknown';
  const isUsual = isUsualAnswer(result, { range: rangeText, ...expected });
  return isUsual === null ? 'unknown' : isUsual ? 'normal' : 'abnormal';
}

function isAlarming({ value, expected, isCatalogUnit }: ToJudge): boolean {
  const extent = extentOf(value);
  if (!isCatalogUnit || !extent || extent.isTiter) return false;
  const { criticalLow: low, criticalHigh: high } = expected;
  const { from, to } = extent;
  return (high !== null && from !== null && from >= high) || (low !== null && to !== null && to <= low);
}

/** By the range; where that does not tell the side, as `See note`, the laboratory's flag may. */
function sidesOf({ value, range, flags }: ToJudge): Pick<Judged, 'isAbove' | 'isBelow'> {
  const extent = extentOf(value);
  if (!extent) return { isAbove: null, isBelow: null };
  const isRead = extent.isTiter === range.isTiter;
  const isAbove = isRead ? lies('above', extent, range) : null;
  const isBelow = isRead ? lies('below', extent, range) : null;
  // Beyond what can be measured is not beyond the range.
  if (flags.side === null || flags.isOffScale) return { isAbove, isBelow };
  return { isAbove: isAbove ?? flags.side === 'above', isBelow: isBelow ?? flags.side === 'below' };
}

const extentOf = ({ type, value, extent }: ReadValue): Extent | null =>
  type === 'numeric' ? { from: value, fromInside: true, to: value, toInside: true, isTiter: false } : extent;

/**
 * Whether all of the extent lies beyond that bound; false where none of it does, null where it cannot be told:
 * `>100` may be above 150, and may not. Of what is measured from 0 on, there is not less than nothing: `<0.1` is within
 * `0.0-4.0`.
 */
function lies(side: 'above' | 'below', extent: Extent, range: ReferenceRange): boolean | null {
  const bound = side === 'above' ? range.max : range.min;
  if (bound === null) return side === 'above' ? range.isAbove(0) : range.isBelow(0);
  const is = side === 'above' ? range.isAbove : range.isBelow;
  const [near, nearInside, far, farInside] =
    side === 'above'
      ? ([extent.from, extent.fromInside, extent.to, extent.toInside] as const)
      : ([extent.to, extent.toInside, extent.from, extent.fromInside] as const);
  // An end that does not belong to the extent is beyond the bound as soon as it is at it.
  if (near !== null && (is(near) === true || (near === bound && !nearInside))) return true;
  if (far !== null && (is(far) === false || (far === bound && !farInside))) return false;
  const isFromNothingOn = side === 'below' && bound === 0 && is(0) === false;
  return isFromNothingOn && far === null ? false : null;
}
