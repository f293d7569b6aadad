import type { RangeBounds } from '../../adapters/lab-network/port.ts';
import { normalizePrinted } from './printed-number.ts';
import { parseReferenceInterval } from './reference-interval.ts';
import { dependsOnPatient, selectSection, type ReferenceRangePatient } from './reference-range-section.ts';
import { memoizeByText } from '../../platform/memoize.ts';

/** A parsed reference range: bounds, whether each is inclusive, and comparison with values. */
export interface ReferenceRange extends RangeBounds {
  /** True where the bounds are dilutions: `<1:20` has the bound 20 and applies to titers only. */
  readonly isTiter: boolean;
  /** The text of a range in words for this patient, as `Negative`; null where there are bounds, or nothing. */
  readonly words: string | null;
  /** The unit printed with the bounds, which may differ from the result's; null where none is printed. */
  readonly unit: string | null;
  isAbove(value: number): boolean | null;
  isBelow(value: number): boolean | null;
}

/**
 * Parses `1-10` (inclusive bounds), `<5.7` (exclusive), `< OR = 9.9`, `> OR = 2`, `up to 40`, `[1.0, 2.0)`. Selects the
 * patient's section of a range by sex, age or grade (`M: 13-17 F: 12-15`, `Normal: <5.7; Diabetes: >6.4`). Text that
 * cannot be read with certainty yields no bounds.
 */
export function parseReferenceRange(
  printed: string | null,
  patient: ReferenceRangePatient = {},
): ReferenceRange {
  return parsePatientIndependentRange(printed ?? '') ?? parseRangeFor(printed ?? '', patient);
}

/** Cached, for ranges that are the same for every patient, as most are; null where the patient matters. */
const parsePatientIndependentRange = memoizeByText((printed) => {
  const text = normalizePrinted(printed);
  return text.length <= LENGTH_MAX && dependsOnPatient(text) ? null : parseRangeFor(printed, {});
});

function parseRangeFor(printed: string, patient: ReferenceRangePatient): ReferenceRange {
  const text = normalizePrinted(printed);
  if (text === '') return EMPTY_RANGE;
  if (text.length > LENGTH_MAX) return toTextRange(text);
  const section = selectSection(text, patient);
  const interval = section === null ? null : parseReferenceInterval(section);
  if (!interval) return toTextRange(section);
  return toReferenceRange(interval, { isTiter: interval.isTiter, words: null, unit: interval.unit });
}

/** Longer texts are explanations, not ranges. */
const LENGTH_MAX = 500;

const UNBOUNDED: RangeBounds = { min: null, minInside: true, max: null, maxInside: true };

const toReferenceRange = (
  { min, minInside, max, maxInside }: RangeBounds,
  said: Pick<ReferenceRange, 'isTiter' | 'words' | 'unit'>,
): ReferenceRange => ({
  min,
  minInside,
  max,
  maxInside,
  ...said,
  isAbove: (value) => isAbove({ min, minInside, max, maxInside }, value),
  isBelow: (value) => isBelow({ min, minInside, max, maxInside }, value),
});

const toTextRange = (words: string | null): ReferenceRange =>
  toReferenceRange(UNBOUNDED, { isTiter: false, words, unit: null });

/** Neither bounds nor text. */
export const EMPTY_RANGE = toTextRange(null);

/** Null where there are no bounds at all. */
export function isAbove({ min, max, maxInside }: RangeBounds, value: number): boolean | null {
  if (max === null) return min === null ? null : false;
  return maxInside ? value > max : value >= max;
}

/** Null where there are no bounds at all. */
export function isBelow({ min, minInside, max }: RangeBounds, value: number): boolean | null {
  if (min === null) return max === null ? null : false;
  return minInside ? value < min : value <= min;
}
