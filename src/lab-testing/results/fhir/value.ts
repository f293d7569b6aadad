import type { ReportedResult } from '../../../adapters/lab-network/port.ts';
import { fhirCodesOf } from '../meaning/flags.ts';
import { readValue, type Extent } from '../meaning/value.ts';
import { readRange } from '../reference-range.ts';
import { ucumOf } from '../meaning/units.ts';
import { present, RENDERED, SYSTEM } from './terms.ts';

type Unit = Pick<ReportedResult, 'unit' | 'ucum'>;

/** The value of an observation under the name that FHIR has for its type: a quantity, a range, a ratio, a word, a text. */
export function valueOf(result: ReportedResult): Record<string, unknown> {
  const { type, result: printed, value } = result;
  if (printed.trim() === '') return absent('unknown', null);
  if (type === 'coded_value' && !isTiter(printed)) return { valueCodeableConcept: { text: printed } };
  if (type === 'comment') return { valueString: printed };
  if (type === 'numeric') return { valueQuantity: quantity(value, result, { printed }) };
  const { extent } = readValue({ form: 'text', value: printed });
  return (extent && measured(extent, result)) ?? { valueString: printed };
}

const isTiter = (printed: string) => readValue({ form: 'text', value: printed }).extent?.isTiter === true;

function measured(extent: Extent, result: ReportedResult): Record<string, unknown> | null {
  const { from, to, isTiter: ofDilutions } = extent;
  if (ofDilutions) return from === null || from !== to ? null : { valueRatio: dilution(from, result.result) };
  if (from !== null && to !== null) {
    const range = { low: quantity(from, result), high: quantity(to, result) };
    return { valueRange: { ...rendered(result.result, `${from}-${to}`), ...range } };
  }
  const comparator = comparatorOf(extent);
  const value = from ?? to;
  return value === null
    ? null
    : { valueQuantity: quantity(value, result, { comparator, printed: result.result }) };
}

function comparatorOf({ from, fromInside, toInside }: Extent): string {
  if (from !== null) return fromInside ? '>=' : '>';
  return toInside ? '<=' : '<';
}

const dilution = (value: number, printed: string) => ({
  ...rendered(printed, `1:${value}`),
  numerator: { value: 1 },
  denominator: { value },
});

interface Shown {
  readonly comparator?: string;
  readonly printed?: string;
}

function quantity(value: number, { unit, ucum }: Unit, { comparator = '', printed }: Shown = {}) {
  const code = ucum === undefined ? ucumOf(unit) : ucum;
  return {
    ...(printed === undefined ? {} : rendered(printed, `${comparator}${value}`)),
    ...present({ value, comparator, unit, ...(code === null ? {} : { system: SYSTEM.ucum, code }) }),
  };
}

/** The printed form is told only where it says more than the value: its digits, its commas, a flag beside it. */
const rendered = (printed: string, plain: string) =>
  printed === plain ? {} : { extension: [{ url: RENDERED, valueString: printed }] };

export const absent = (code: string, text: string | null) => ({
  dataAbsentReason: present({ coding: [{ system: SYSTEM.absentReason, code }], text }),
});

/** A bound of FHIR is always inside the range; one that is outside, as of `<5.7`, is told by the text alone. */
export function referenceRangeOf({ referenceRange: text, bounds: kept, ...unit }: ReportedResult) {
  if (text === null || text.trim() === '') return [];
  const bounds = kept === undefined ? readRange(text) : kept;
  const low = bounds && bounds.min !== null && bounds.minInside ? quantity(bounds.min, unit) : undefined;
  const high = bounds && bounds.max !== null && bounds.maxInside ? quantity(bounds.max, unit) : undefined;
  return [present({ low, high, text })];
}

/** The laboratory's own flags; where it set none, what its value means against its range. */
export function interpretationOf({ flags = [], interpretation, isAbove, isBelow }: ReportedResult) {
  const codes = fhirCodesOf(flags);
  const said = codes.length > 0 ? codes : derived(interpretation, isAbove === true, isBelow === true);
  return said.map((code) => ({ coding: [{ system: SYSTEM.interpretation, code }] }));
}

function derived(
  interpretation: ReportedResult['interpretation'],
  isAbove: boolean,
  isBelow: boolean,
): string[] {
  if (interpretation === 'unknown') return [];
  if (interpretation === 'normal') return ['N'];
  const side = isAbove ? 'H' : isBelow ? 'L' : 'A';
  return [interpretation === 'critical' ? side.repeat(2) : side];
}
