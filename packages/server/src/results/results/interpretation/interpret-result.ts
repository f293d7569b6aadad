import type { ExpectedResult, LabInterpretation } from '../../../adapters/lab-network/port.ts';
import type { ReferenceRange } from '../reference-range.ts';
import type { FlagInterpretation } from './flags.ts';
import type { ValueInterval, ParsedValue } from './value.ts';
import { isUsualAnswer } from './qualitative-answers.ts';

interface InterpretedValue {
  readonly isAbove: boolean | null;
  readonly isBelow: boolean | null;
  readonly interpretation: LabInterpretation;
  readonly sourceInterpretation: LabInterpretation | null;
}

interface ResultInterpretationInput {
  /** As the laboratory printed it. */
  readonly result: string;
  readonly value: ParsedValue;
  readonly range: ReferenceRange;
  readonly rangeText: string | null;
  readonly flags: FlagInterpretation;
  readonly expected: ExpectedResult;
  /** Whether the unit is that of the catalog, so that its critical bounds apply. */
  readonly isCatalogUnit: boolean;
}

/**
 * The laboratory's own flag decides. Without a flag, the value is compared with the printed range and the critical
 * bounds of the catalog. `unknown` where neither decides.
 */
export function interpretResult(given: ResultInterpretationInput): InterpretedValue {
  const sides = compareWithRange(given);
  const source = interpretSourceFlags(given);
  return {
    ...sides,
    interpretation: source ?? deriveInterpretation(given, sides),
    sourceInterpretation: source,
  };
}

/** `<` and `>` mean off scale in the standard, but critical at some laboratories: the critical bounds decide. */
function interpretSourceFlags(given: ResultInterpretationInput): LabInterpretation | null {
  const { flags } = given;
  return flags.isOffScale && isCritical(given) ? 'critical' : flags.interpretation;
}

function deriveInterpretation(
  given: ResultInterpretationInput,
  { isAbove, isBelow }: Pick<InterpretedValue, 'isAbove' | 'isBelow'>,
): LabInterpretation {
  if (isCritical(given)) return 'critical';
  if (isAbove === true || isBelow === true) return 'abnormal';
  if (isAbove === false && isBelow === false) return 'normal';
  const { value, result, rangeText, expected } = given;
  if (value.type === 'numeric' || value.type === 'range' || value.interval) return 'unknown';
  const isUsual = isUsualAnswer(result, { range: rangeText, ...expected });
  return isUsual === null ? 'unknown' : isUsual ? 'normal' : 'abnormal';
}

function isCritical({ value, expected, isCatalogUnit }: ResultInterpretationInput): boolean {
  const extent = toValueInterval(value);
  if (!isCatalogUnit || !extent || extent.isTiter) return false;
  const { criticalLow: low, criticalHigh: high } = expected;
  const { from, to } = extent;
  return (high !== null && from !== null && from >= high) || (low !== null && to !== null && to <= low);
}

/** Compares with the range; where that gives no side, as with `See note`, the laboratory's flag may. */
function compareWithRange({
  value,
  range,
  flags,
}: ResultInterpretationInput): Pick<InterpretedValue, 'isAbove' | 'isBelow'> {
  const extent = toValueInterval(value);
  if (!extent) return { isAbove: null, isBelow: null };
  const isRead = extent.isTiter === range.isTiter;
  const isAbove = isRead ? isBeyondBound('above', extent, range) : null;
  const isBelow = isRead ? isBeyondBound('below', extent, range) : null;
  // Outside the measuring range does not mean outside the reference range.
  if (flags.side === null || flags.isOffScale) return { isAbove, isBelow };
  return { isAbove: isAbove ?? flags.side === 'above', isBelow: isBelow ?? flags.side === 'below' };
}

const toValueInterval = ({ type, value, interval }: ParsedValue): ValueInterval | null =>
  type === 'numeric'
    ? { from: value, fromInclusive: true, to: value, toInclusive: true, isTiter: false }
    : interval;

/**
 * Whether the whole interval is beyond the bound; false where no part of it is; null where it cannot be decided: `>100`
 * may or may not be above 150. A value cannot be below a lower bound of 0: `<0.1` is within `0.0-4.0`.
 */
function isBeyondBound(
  side: 'above' | 'below',
  extent: ValueInterval,
  range: ReferenceRange,
): boolean | null {
  const bound = side === 'above' ? range.max : range.min;
  if (bound === null) return side === 'above' ? range.isAbove(0) : range.isBelow(0);
  const is = side === 'above' ? range.isAbove : range.isBelow;
  const [near, nearInside, far, farInside] =
    side === 'above'
      ? ([extent.from, extent.fromInclusive, extent.to, extent.toInclusive] as const)
      : ([extent.to, extent.toInclusive, extent.from, extent.fromInclusive] as const);
  // An exclusive end that equals the bound is beyond it.
  if (near !== null && (is(near) === true || (near === bound && !nearInside))) return true;
  if (far !== null && (is(far) === false || (far === bound && !farInside))) return false;
  const isFromNothingOn = side === 'below' && bound === 0 && is(0) === false;
  return isFromNothingOn && far === null ? false : null;
}
