import type { ExtractedLine, OpenBound } from './extraction.ts';
import { compareAny, type Compared } from './reading/meaning.ts';
import { readNumber, type DecimalSign } from './reading/numbers.ts';
import { plain } from './reading/plain.ts';
import { readInterval } from './reading/range-text.ts';
import { typeOf } from './reading/result-type.ts';
import { sameUnitKey } from './reading/units.ts';

type Result = ExtractedLine['result'];
export type Fields = { readonly [K in keyof Result]?: Result[K] | undefined };

export interface Corrected {
  /** The line as it was read; none where the reviewer adds one. */
  readonly before: Result | undefined;
  /** What the reviewer says of it. */
  readonly set: Fields;
  /** The bounds of its range that lie outside, as they were printed. */
  readonly openBounds: readonly OpenBound[];
  /** How the report writes numbers. */
  readonly sign: DecimalSign;
}

const JUDGING = ['value', 'min_reference_range', 'max_reference_range'] as const;
const TYPING = ['value', 'units'] as const;

/**
 * What a corrected line means: a new value, or a new range, is held against the other as the reader does it, unless the
 * reviewer says how it is to be seen. What was said of the old value is not true of the new one: where nothing can be
 * said of that, it is unknown.
 */
export function judgeAnew(corrected: Result, { before, set, openBounds, sign }: Corrected): Result {
  const isNew = (name: keyof Result) => set[name] !== undefined && set[name] !== before?.[name];
  const typed =
    TYPING.some(isNew) && set.type == null ? { ...corrected, type: printedType(corrected, sign) } : corrected;
  const result = { ...typed, ...codesOf(typed, { before, set }) };
  if (!JUDGING.some(isNew)) return result;
  const printed = openBounds.filter((bound) => before?.[`${bound}_reference_range`] != null);
  const { isAboveMax, isBelowMin } = compared(result, printed, sign);
  return {
    ...result,
    is_above_max_range: set.is_above_max_range ?? isAboveMax,
    is_below_min_range: set.is_below_min_range ?? isBelowMin,
    interpretation: set.interpretation ?? meant([isAboveMax, isBelowMin]),
  };
}

const meant = (sides: readonly (boolean | null)[]): Result['interpretation'] =>
  sides.includes(true) ? 'abnormal' : sides.includes(false) ? 'normal' : 'unknown';

const printedType = ({ value, units }: Result, sign: DecimalSign): Result['type'] =>
  typeOf({ printedValue: value, isNumber: readNumber(value, sign) !== undefined, unit: units });

type Codes = Pick<Result, 'loinc_matches' | 'loinc_match_status'>;

/**
 * A code belongs to the name that it was found for, and none is told of another one. For another unit, another sample,
 * or words in place of a number it may be another code of the same name.
 */
function codesOf(result: Result, { before, set }: Pick<Corrected, 'before' | 'set'>): Codes {
  const { loinc_matches, loinc_match_status } = result;
  const said = set.loinc_match_status;
  if (set.loinc_matches !== undefined)
    return { loinc_matches, loinc_match_status: said ?? statusOf(loinc_matches) };
  if (before && nameKey(result) !== nameKey(before))
    return { loinc_matches: null, loinc_match_status: said ?? null };
  const isSure = !before || said !== undefined || isSameKind(result, before);
  const isToChoose = !isSure && loinc_match_status === 'auto_match';
  return { loinc_matches, loinc_match_status: isToChoose ? 'needs_review' : loinc_match_status };
}

const nameKey = ({ test_name }: Result): string => plain(test_name).replaceAll(/\s+/g, ' ');

/** What a reviewer chose needs no second look. */
const statusOf = (chosen: Result['loinc_matches']): Result['loinc_match_status'] =>
  chosen === null ? null : chosen.length > 0 ? 'auto_match' : 'no_match';

const isSameKind = (result: Result, before: Result): boolean =>
  sameUnitKey(result.units ?? '') === sameUnitKey(before.units ?? '') &&
  result.sample_type === before.sample_type &&
  isInWords(result) === isInWords(before);

const isInWords = ({ type }: Result): boolean => type === 'boolean' || type === 'comment';

/** Bounds that were not printed belong to the range. */
function compared(result: Result, openBounds: readonly OpenBound[], sign: DecimalSign): Compared {
  const { value, min_reference_range: min, max_reference_range: max } = result;
  return compareAny({
    number: readNumber(value, sign),
    span: readInterval(value, sign),
    interval: {
      min,
      max,
      minIsOutside: openBounds.includes('min'),
      maxIsOutside: openBounds.includes('max'),
      decimals: 0,
    },
  });
}
