import type { ExtractedReportLine, OpenBound } from './extraction.ts';
import {
  classifyResultType,
  compareToInterval,
  normalizeText,
  readInterval,
  readNumber,
  toUnitKey,
  type DecimalSign,
  type RangeComparison,
} from 'aliquot-report-reader/values';

type CorrectedResult = ExtractedReportLine['result'];
type CorrectedFields = { readonly [K in keyof CorrectedResult]?: CorrectedResult[K] | undefined };

export interface ResultCorrection {
  /** The line as it was extracted; undefined for a line that the reviewer adds. */
  readonly before: CorrectedResult | undefined;
  /** The fields that the reviewer set. */
  readonly set: CorrectedFields;
  /** The exclusive bounds of the printed range. */
  readonly openBounds: readonly OpenBound[];
  /** The decimal sign of the report. */
  readonly sign: DecimalSign;
}

const COMPARED_FIELDS = ['value', 'min_reference_range', 'max_reference_range'] as const;
const TYPE_FIELDS = ['value', 'units'] as const;

/**
 * Derives the dependent fields of a corrected line: type, codes, and the comparison of value and range. A field that
 * the reviewer set is kept. What was derived from the old value is dropped; if nothing follows from the new value, the
 * interpretation is `unknown`.
 */
export function reinterpretResult(
  corrected: CorrectedResult,
  { before, set, openBounds, sign }: ResultCorrection,
): CorrectedResult {
  const isNew = (name: keyof CorrectedResult) => set[name] !== undefined && set[name] !== before?.[name];
  const typed =
    TYPE_FIELDS.some(isNew) && set.type == null
      ? { ...corrected, type: inferType(corrected, sign) }
      : corrected;
  const result = { ...typed, ...carryOverCodes(typed, { before, set }) };
  if (!COMPARED_FIELDS.some(isNew)) return result;
  const printed = openBounds.filter((bound) => before?.[`${bound}_reference_range`] != null);
  const { isAboveMax, isBelowMin } = compareWithRange(result, printed, sign);
  return {
    ...result,
    is_above_max_range: set.is_above_max_range ?? isAboveMax,
    is_below_min_range: set.is_below_min_range ?? isBelowMin,
    interpretation: set.interpretation ?? interpretationOf([isAboveMax, isBelowMin]),
  };
}

const interpretationOf = (sides: readonly (boolean | null)[]): CorrectedResult['interpretation'] =>
  sides.includes(true) ? 'abnormal' : sides.includes(false) ? 'normal' : 'unknown';

const inferType = ({ value, units }: CorrectedResult, sign: DecimalSign): CorrectedResult['type'] =>
  classifyResultType({ printedValue: value, isNumber: readNumber(value, sign) !== undefined, unit: units });

type ResultCodes = Pick<CorrectedResult, 'loinc_matches' | 'loinc_match_status'>;

/**
 * LOINC codes belong to the test name they were found for, so a new name drops them. A new unit, sample, or a text in
 * place of a number may need another code of the same name, so an automatic match then needs review.
 */
function carryOverCodes(
  result: CorrectedResult,
  { before, set }: Pick<ResultCorrection, 'before' | 'set'>,
): ResultCodes {
  const { loinc_matches, loinc_match_status } = result;
  const said = set.loinc_match_status;
  if (set.loinc_matches !== undefined)
    return { loinc_matches, loinc_match_status: said ?? matchStatusOf(loinc_matches) };
  if (before && nameKey(result) !== nameKey(before))
    return { loinc_matches: null, loinc_match_status: said ?? null };
  const isSure = !before || said !== undefined || isSameKind(result, before);
  const isToChoose = !isSure && loinc_match_status === 'auto_match';
  return { loinc_matches, loinc_match_status: isToChoose ? 'needs_review' : loinc_match_status };
}

const nameKey = ({ test_name }: CorrectedResult): string => normalizeText(test_name).replaceAll(/\s+/g, ' ');

/** Codes that a reviewer chose need no review. */
const matchStatusOf = (chosen: CorrectedResult['loinc_matches']): CorrectedResult['loinc_match_status'] =>
  chosen === null ? null : chosen.length > 0 ? 'auto_match' : 'no_match';

const isSameKind = (result: CorrectedResult, before: CorrectedResult): boolean =>
  toUnitKey(result.units ?? '') === toUnitKey(before.units ?? '') &&
  result.sample_type === before.sample_type &&
  isTextResult(result) === isTextResult(before);

const isTextResult = ({ type }: CorrectedResult): boolean => type === 'boolean' || type === 'comment';

/** A bound that a reviewer adds is inclusive. */
function compareWithRange(
  result: CorrectedResult,
  openBounds: readonly OpenBound[],
  sign: DecimalSign,
): RangeComparison {
  const { value, min_reference_range: min, max_reference_range: max } = result;
  return compareToInterval({
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
