import type { ReportedResult } from '../../../adapters/lab-network/port.ts';
import { toFhirInterpretationCodes } from '../interpretation/flags.ts';
import { parseValue, type ValueInterval } from '../interpretation/value.ts';
import { findWrittenNumber } from '../printed-number.ts';
import { parseReferenceRange } from '../reference-range.ts';
import { toUcum } from '../interpretation/units.ts';
import { omitEmpty, RENDERED_VALUE_URL, SYSTEM } from './elements.ts';

type QuantityUnit = Pick<ReportedResult, 'unit' | 'ucum'>;

/** The `value[x]` element of an observation: a quantity, range, ratio, coded concept or string. */
export function toValueElement(result: ReportedResult): Record<string, unknown> {
  const { type, result: printed, value } = result;
  if (printed.trim() === '') return toAbsentElement('unknown', null);
  if (type === 'coded_value' && !isTiter(printed))
    return { valueCodeableConcept: toOrganism(result, printed) };
  if (type === 'comment') return { valueString: printed };
  if (type === 'numeric') return { valueQuantity: toQuantity(value, result, { printed }) };
  const { interval } = parseValue({ form: 'text', value: printed });
  return (interval && toMeasuredElement(interval, result)) ?? { valueString: printed };
}

/** The value as text, with the code of the organism if it is an isolate. */
function toOrganism({ microbiology: finding }: ReportedResult, text: string) {
  return finding && finding.susceptibility === null && finding.snomed !== null
    ? { coding: [{ system: SYSTEM.snomed, code: finding.snomed }], text }
    : { text };
}

const isTiter = (printed: string) => parseValue({ form: 'text', value: printed }).interval?.isTiter === true;

function toMeasuredElement(extent: ValueInterval, result: ReportedResult): Record<string, unknown> | null {
  const { from, to, isTiter: ofDilutions } = extent;
  if (ofDilutions) return from === null || from !== to ? null : { valueRatio: toRatio(from, result.result) };
  if (from !== null && to !== null) {
    const { result: within } = result;
    const range = { low: toQuantity(from, result, { within }), high: toQuantity(to, result, { within }) };
    return { valueRange: { ...toRenderedExtension(result.result, `${from}-${to}`), ...range } };
  }
  const comparator = comparatorOf(extent);
  const value = from ?? to;
  return value === null
    ? null
    : { valueQuantity: toQuantity(value, result, { comparator, printed: result.result }) };
}

function comparatorOf({ from, fromInclusive, toInclusive }: ValueInterval): string {
  if (from !== null) return fromInclusive ? '>=' : '>';
  return toInclusive ? '<=' : '<';
}

const toRatio = (value: number, printed: string) => ({
  ...toRenderedExtension(printed, `1:${value}`),
  numerator: { value: 1 },
  denominator: { value },
});

interface QuantityOptions {
  readonly comparator?: string;
  /** The printed form of this number alone. */
  readonly printed?: string;
  /** The text that the number is in. */
  readonly within?: string;
}

function toQuantity(
  value: number,
  { unit, ucum }: QuantityUnit,
  { comparator = '', printed, within = printed }: QuantityOptions,
) {
  const code = ucum === undefined ? toUcum(unit) : ucum;
  return {
    ...(printed === undefined ? {} : toRenderedExtension(printed, `${comparator}${value}`)),
    ...omitEmpty({
      value: within === undefined ? value : findWrittenNumber(within, value),
      comparator,
      unit,
      ...(code === null ? {} : { system: SYSTEM.ucum, code }),
    }),
  };
}

/**
 * Adds the printed form where it has more than the number: commas, a flag, and also zeros at the end, which the number
 * has as well, but which many readers of JSON lose.
 */
const toRenderedExtension = (printed: string, plain: string) =>
  printed === plain ? {} : { extension: [{ url: RENDERED_VALUE_URL, valueString: printed }] };

export const toAbsentElement = (code: string, text: string | null) => ({
  dataAbsentReason: omitEmpty({ coding: [{ system: SYSTEM.absentReason, code }], text }),
});

/** FHIR bounds are inclusive, so an exclusive bound, as in `<5.7`, appears in the text only. */
export function toReferenceRangeElement({ referenceRange: text, bounds: kept, ...unit }: ReportedResult) {
  if (text === null || text.trim() === '') return [];
  const bounds = kept === undefined ? parseReferenceRange(text) : kept;
  const low =
    bounds && bounds.min !== null && bounds.minInside
      ? toQuantity(bounds.min, unit, { within: text })
      : undefined;
  const high =
    bounds && bounds.max !== null && bounds.maxInside
      ? toQuantity(bounds.max, unit, { within: text })
      : undefined;
  return [omitEmpty({ low, high, text })];
}

/** The laboratory's own flags; without flags, the interpretation derived from value and range. */
export function toInterpretationElement({ flags = [], interpretation, isAbove, isBelow }: ReportedResult) {
  const codes = toFhirInterpretationCodes(flags);
  const said =
    codes.length > 0 ? codes : deriveInterpretationCodes(interpretation, isAbove === true, isBelow === true);
  return said.map((code) => ({ coding: [{ system: SYSTEM.interpretation, code }] }));
}

function deriveInterpretationCodes(
  interpretation: ReportedResult['interpretation'],
  isAbove: boolean,
  isBelow: boolean,
): string[] {
  if (interpretation === 'unknown') return [];
  if (interpretation === 'normal') return ['N'];
  const side = isAbove ? 'H' : isBelow ? 'L' : 'A';
  return [interpretation === 'critical' ? side.repeat(2) : side];
}
