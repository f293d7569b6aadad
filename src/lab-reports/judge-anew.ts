import type { ExtractedLine } from './extraction.ts';
import { compareAny, type Compared } from './reading/meaning.ts';
import { readNumber, type DecimalSign } from './reading/numbers.ts';
import { readInterval } from './reading/range-text.ts';
import { typeOf } from './reading/result-type.ts';

type Result = ExtractedLine['result'];
export type Fields = { readonly [K in keyof Result]?: Result[K] | undefined };

interface Corrected {
  /** The line as it was read; none where the reviewer adds one. */
  readonly before: Result | undefined;
  /** What the reviewer says of it. */
  readonly set: Fields;
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
export function judgeAnew(result: Result, { before, set, sign }: Corrected): Result {
  const isNew = (name: keyof Result) => set[name] !== undefined && set[name] !== before?.[name];
  const typed =
    TYPING.some(isNew) && set.type == null ? { ...result, type: printedType(result, sign) } : result;
  if (!JUDGING.some(isNew)) return typed;
  const { isAboveMax, isBelowMin } = compared(result, sign);
  return {
    ...typed,
    is_above_max_range: set.is_above_max_range ?? isAboveMax,
    is_below_min_range: set.is_below_min_range ?? isBelowMin,
    interpretation: set.interpretation ?? meant([isAboveMax, isBelowMin]),
  };
}

const meant = (sides: readonly (boolean | null)[]): Result['interpretation'] =>
  sides.includes(true) ? 'abnormal' : sides.includes(false) ? 'normal' : 'unknown';

const printedType = ({ value, units }: Result, sign: DecimalSign): Result['type'] =>
  typeOf({ printedValue: value, isNumber: readNumber(value, sign) !== undefined, unit: units });

/** Both bounds belong to the range: how they were printed is not kept. */
function compared(result: Result, sign: DecimalSign): Compared {
  const { value, min_reference_range: min, max_reference_range: max } = result;
  return compareAny({
    number: readNumber(value, sign),
    span: readInterval(value, sign),
    interval: { min, max, minIsOutside: false, maxIsOutside: false, decimals: 0 },
  });
}
