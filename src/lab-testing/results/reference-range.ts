import type { RangeBounds } from '../../adapters/lab-network/port.ts';
import { plain } from './printed-number.ts';
import { readInterval } from './reference-range-interval.ts';
import { dependsOnPatient, sectionFor, type Patient } from './reference-range-section.ts';
import { remembered } from '../../platform/remembered.ts';

/** A reference range as a laboratory prints it, with the question whether a bound itself is still inside. */
export interface ReferenceRange extends RangeBounds {
  /** True where the bounds are dilutions: `<1:20` has the bound 20, and says something of titers only. */
  readonly isTiter: boolean;
  /** What a range of words says, of this patient, as `Negative`; null where there are bounds or nothing. */
  readonly words: string | null;
  /** The unit that is printed with the bounds, which may be another than the result's; null where none is. */
  readonly unit: string | null;
  isAbove(value: number): boolean | null;
  isBelow(value: number): boolean | null;
}

/**
 * Reads `1-10` (both bounds inside), `<5.7` (outside), `< OR = 9.9`, `> OR = 2`, `up to 40`, `[1.0, 2.0)`; of ranges
 * by sex, age or grade (`M: 13-17 F: 12-15`, `Normal: <5.7; Diabetes: >6.4`) the one of this patient. What it cannot
 * read for certain has no bounds.
 */
export function readRange(printed: string | null, patient: Patient = {}): ReferenceRange {
  return rangeOfAnyone(printed ?? '') ?? rangeFor(printed ?? '', patient);
}

/** The range that is the same for every patient, as most are; null where it depends on who it is. */
const rangeOfAnyone = remembered((printed) => {
  const text = plain(printed);
  return text.length <= LENGTH_MAX && dependsOnPatient(text) ? null : rangeFor(printed, {});
});

function rangeFor(printed: string, patient: Patient): ReferenceRange {
  const text = plain(printed);
  if (text === '') return NO_RANGE;
  if (text.length > LENGTH_MAX) return inWords(text);
  const section = sectionFor(text, patient);
  const interval = section === null ? null : readInterval(section);
  if (!interval) return inWords(section);
  return withBounds(interval, { isTiter: interval.isTiter, words: null, unit: interval.unit });
}

/** Longer ones are a page of explanation. */
const LENGTH_MAX = 500;

const OPEN: RangeBounds = { min: null, minInside: true, max: null, maxInside: true };

const withBounds = (
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

const inWords = (words: string | null): ReferenceRange =>
  withBounds(OPEN, { isTiter: false, words, unit: null });

/** A range that says nothing. */
export const NO_RANGE = inWords(null);

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
