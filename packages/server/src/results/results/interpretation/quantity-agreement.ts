import {
  dimensionsOf,
  dimensionsOfLoinc,
  findLoincForUnit,
  isOfSpecimen,
  isQuantitative,
  type UnitDimension,
} from 'aliquot-report-reader/quantities';
import type {
  ExpectedResult,
  ReceivedObservation,
  ReportedResult,
} from '../../../adapters/lab-network/port.ts';
import { memoizeByText } from '../../../platform/memoize.ts';
import { nameKey } from './analyte-identity.ts';

type MeasuredObservation = Pick<ReceivedObservation, 'unit' | 'origin' | 'loinc'>;

/** Quantities of one analyte that differ in how it is counted: 90 mg/dL and 5 mmol/L of glucose. */
const CONVERTIBLE: readonly (readonly UnitDimension[])[] = [
  ['mass', 'substance', 'activity'],
  ['mass_rate', 'substance_rate'],
  ['fraction', 'molar_fraction', 'ratio'],
  ['count', 'copies'],
];

const shareOne = (some: readonly UnitDimension[], others: readonly UnitDimension[]): boolean =>
  some.some((one) => others.includes(one));

/** The dimensions of a result's catalog unit and of its LOINC code, which is consulted only if the unit disagrees. */
function disagreesWith(dimensions: readonly UnitDimension[], { unit, loinc }: ExpectedResult): boolean {
  if (dimensions.length === 0) return false;
  const ofUnit = unit === null ? [] : dimensionsOf(unit);
  if (shareOne(dimensions, ofUnit)) return false;
  const ofCode = loinc === null ? [] : dimensionsOfLoinc(loinc);
  return ofUnit.length + ofCode.length > 0 && !shareOne(dimensions, ofCode);
}

/** Whether the unit is known to be of the dimension of the expected result. */
export function isSameDimension(
  { unit }: Pick<MeasuredObservation, 'unit'>,
  expected: ExpectedResult,
): boolean {
  const dimensions = unit === null ? [] : dimensionsOf(unit);
  return dimensions.length > 0 && expected.unit !== null && shareOne(dimensions, dimensionsOf(expected.unit));
}

/** Whether an observation with the name or the LOINC of an expected result may be that result. */
export function isSameQuantity(observation: MeasuredObservation, expected: ExpectedResult): boolean {
  if (isOfOtherSpecimen(observation, expected)) return false;
  const { unit } = observation;
  if (unit === null || unit === expected.unit) return true;
  const dimensions = dimensionsOf(unit);
  if (!disagreesWith(dimensions, expected)) return true;
  const wanted = expected.unit === null ? [] : dimensionsOf(expected.unit);
  return CONVERTIBLE.some((group) => shareOne(group, dimensions) && shareOne(group, wanted));
}

const isOfOtherSpecimen = ({ origin }: MeasuredObservation, { loinc }: ExpectedResult): boolean =>
  loinc !== null && origin?.specimenType !== undefined && isOfSpecimen(loinc, origin.specimenType) === false;

/** Why an observation is not the expected result that has its name. */
export const describeDisagreement = (observation: MeasuredObservation, expected: ExpectedResult): string =>
  isOfOtherSpecimen(observation, expected)
    ? `Not taken for the ordered ${expected.name}: the specimen is ${observation.origin?.specimenType}.`
    : `Not taken for the ordered ${expected.name}: the unit is ${observation.unit}, not ${expected.unit ?? 'its own'}.`;

/** Words that say how an analyte is counted. */
const COUNTING_WORDS =
  /\b(?:absolute|abs|count|counts|ct|percent|percentage|pct|relative|rel|auto|automated)\b|[%#]/gi;

/** The name without the words of its quantity: `Neutrophils, Absolute` and `Neutrophil %` are `neutrophil`. */
export const quantityNameKey = memoizeByText((name) =>
  nameKey(name.replaceAll('(', ' ').replace(COUNTING_WORDS, ' ')).replace(/s$/, ''),
);

interface LoincDecision {
  readonly loinc: string | null;
  /** Why there is no code, or why it is doubtful; null without a doubt. */
  readonly doubt: string | null;
}

/**
 * The LOINC code of a result. The message's takes precedence over the catalog's: the laboratory knows its method. The
 * catalog's code must agree with unit, specimen and scale; in another unit of the same analyte, the code that differs in
 * its property only replaces it.
 */
export function decideLoinc(
  observation: MeasuredObservation,
  expected: ExpectedResult,
  type: ReportedResult['type'],
): LoincDecision {
  const { unit, origin, loinc: sent } = observation;
  if (sent !== null) return { loinc: sent, doubt: doubtSentCode(sent, observation) };
  const { loinc } = expected;
  if (loinc === null) return { loinc, doubt: null };
  if (isOfOtherSpecimen(observation, expected))
    return {
      loinc: null,
      doubt: `Without LOINC code: ${loinc} is not for the specimen ${origin?.specimenType}.`,
    };
  if (unit === null || unit === expected.unit || type === 'comment' || type === 'coded_value')
    return { loinc, doubt: null };
  if (expected.kind !== 'numeric' && isQuantitative(loinc) === false)
    return { loinc: null, doubt: `Without LOINC code: ${loinc} is not for a measured quantity.` };
  if (!disagreesWith(dimensionsOf(unit), expected)) return { loinc, doubt: null };
  const other = findLoincForUnit(loinc, unit);
  return {
    loinc: other,
    doubt: other === null ? `Without LOINC code: ${loinc} is not measured in ${unit}.` : null,
  };
}

/** A code of the laboratory is kept, even if its unit contradicts it. */
function doubtSentCode(loinc: string, { unit }: MeasuredObservation): string | null {
  const dimensions = unit === null ? [] : dimensionsOf(unit);
  if (dimensions.length === 0) return null;
  const wanted = dimensionsOfLoinc(loinc);
  return wanted.length === 0 || shareOne(dimensions, wanted)
    ? null
    : `Doubtful LOINC code: ${loinc} is not measured in ${unit}.`;
}
