import type { ReceivedObservation } from '../received.ts';
import type { CodeableConcept, Extension, FhirReferenceRange, FhirQuantity, FhirValue } from './wire.ts';
import type { z } from 'zod';

export type PrintedValue = Pick<ReceivedObservation, 'form' | 'value' | 'unit'>;

const RENDERED = 'http://hl7.org/fhir/StructureDefinition/rendered-value';

/** Formats a value as a laboratory would print it, with its form; null without a value. */
export function printValue(given: FhirValue): PrintedValue | null {
  const { valueQuantity, valueCodeableConcept, valueRange, valueRatio, valuePeriod } = given;
  if (valueQuantity) return printQuantity(valueQuantity);
  if (valueCodeableConcept) return toPrintedValue('coded', getConceptText(valueCodeableConcept));
  if (valueRange) {
    const { low, high, extension } = valueRange;
    const unit = readUnit(low) ?? readUnit(high);
    const text = findRenderedValue(extension) ?? printInterval(printNumber(low), printNumber(high));
    return { form: 'structured', value: text, unit };
  }
  if (valueRatio) {
    const { numerator, denominator, extension } = valueRatio;
    const rendered = findRenderedValue(extension);
    if (rendered !== undefined) return { form: 'structured', value: rendered, unit: readUnit(denominator) };
    return { form: 'structured', value: printRatio(numerator, denominator), unit: null };
  }
  if (valuePeriod)
    return toPrintedValue('text', [valuePeriod.start, valuePeriod.end].filter(Boolean).join(' - '));
  return printPrimitive(given);
}

const toPrintedValue = (form: PrintedValue['form'], value: string | null): PrintedValue => ({
  form,
  value,
  unit: null,
});

function printPrimitive(given: FhirValue): PrintedValue | null {
  const { valueString, valueInteger, valueBoolean, valueTime, valueDateTime } = given;
  if (valueInteger !== undefined) return toPrintedValue('number', valueInteger);
  const text = valueString ?? valueTime ?? valueDateTime;
  if (text !== undefined) return toPrintedValue('text', text);
  return valueBoolean === undefined ? null : toPrintedValue('coded', valueBoolean ? 'true' : 'false');
}

function printQuantity(quantity: FhirQuantity): PrintedValue {
  const number = printNumber(quantity);
  const plain = number === null ? null : `${quantity.comparator ?? ''}${number}`;
  return {
    form: quantity.comparator === undefined ? 'number' : 'structured',
    value: findRenderedValue(quantity.extension) ?? plain,
    unit: readUnit(quantity),
  };
}

const findRenderedValue = (extensions: readonly z.output<typeof Extension>[]): string | undefined =>
  extensions.find(({ url }) => url === RENDERED)?.valueString;

/** `1:160`; with units each part has its own: `30 mg / 1 g`. */
function printRatio(
  numerator: FhirQuantity | undefined,
  denominator: FhirQuantity | undefined,
): string | null {
  const hasUnits = [numerator, denominator].some((part) => (readUnit(part) ?? '1') !== '1');
  // A titer is a ratio of whole numbers, also where its sender writes every number as a decimal.
  const isTiter =
    !hasUnits && [numerator, denominator].every((part) => WHOLE_DECIMAL.test(part?.value ?? ''));
  const parts = [numerator, denominator].flatMap((part) => {
    const written = printNumber(part);
    if (written === null) return [];
    const number = isTiter ? written.replace(/\..*/, '') : written;
    const unit = hasUnits ? readUnit(part) : null;
    return [`${part?.comparator ?? ''}${number}${unit === null || unit === '1' ? '' : ` ${unit}`}`];
  });
  return parts.join(hasUnits ? ' / ' : ':') || null;
}

const WHOLE_DECIMAL = /^\d+(?:\.0+)?$/;

const printNumber = (quantity: FhirQuantity | undefined): string | null => quantity?.value ?? null;
const readUnit = (quantity: FhirQuantity | undefined): string | null =>
  quantity?.unit ?? quantity?.code ?? null;

function printInterval(low: string | null, high: string | null): string | null {
  if (low !== null && high !== null) return `${low}-${high}`;
  if (low !== null) return `>=${low}`;
  return high === null ? null : `<=${high}`;
}

/** The text or display of a concept; otherwise its first code. */
export function getConceptText({ text, coding }: CodeableConcept): string | null {
  const shown = coding.find(({ display }) => display !== undefined)?.display;
  return text ?? shown ?? coding[0]?.code ?? null;
}

/**
 * Formats reference ranges in one line, labeled by whom they apply to: `Male: 13-17; Female: 12-15`. A range whose unit
 * differs from the value's includes its unit.
 */
export function printRanges(ranges: readonly FhirReferenceRange[], unit: string | null): string | null {
  const lines = ranges.filter(isOfReference).flatMap((range) => {
    const bounds = printBounds(range, unit);
    if (bounds === null || bounds === '') return [];
    const label = labelRange(range);
    return [label === '' ? bounds : `${label}: ${bounds}`];
  });
  return lines.length > 0 ? lines.join('; ') : null;
}

/** Limits that say nothing of what is normal: a value below a treatment goal is not abnormal. */
const OTHER_LIMITS = /\b(?:critical|panic|alert|treatment|goal|target|reportable|measur\w+|linear\w*)\b/i;

const isOfReference = ({ type }: FhirReferenceRange): boolean =>
  !OTHER_LIMITS.test(type ? (getConceptText(type) ?? '') : '');

/** Notes on limits that are no reference range: `Limits (treatment): <=70`. */
export const listOtherLimits = (ranges: readonly FhirReferenceRange[], unit: string | null): string[] =>
  ranges.flatMap((range) => {
    const bounds = isOfReference(range) ? null : printBounds(range, unit);
    return bounds === null || bounds === '' ? [] : [`Limits (${labelRange(range)}): ${bounds}`];
  });

function printBounds({ text, low, high }: FhirReferenceRange, unit: string | null): string | null {
  const bounds = text ?? printInterval(printNumber(low), printNumber(high));
  const own = readUnit(low) ?? readUnit(high);
  if (bounds === null || bounds === '' || own === null || own === unit || bounds.includes(own)) return bounds;
  return `${bounds} ${own}`;
}

/** UCUM units of ages; the default is years. */
const AGE_UNITS: Readonly<Record<string, string>> = { mo: 'months', wk: 'weeks', d: 'days' };

/** `18` for 18.0: the section of a range is found by whole years. */
const printAge = (age: FhirQuantity | undefined): string | null =>
  age?.value === undefined ? null : String(Number(age.value));

function labelRange({ appliesTo, age, type }: FhirReferenceRange): string {
  const ages = printInterval(printAge(age?.low), printAge(age?.high));
  const counted = age?.low ?? age?.high;
  const unit = counted?.code ?? counted?.unit ?? '';
  const kind = type ? getConceptText(type) : null;
  const parts = [
    ...appliesTo.map((concept) => getConceptText(concept)),
    ages === null
      ? null
      : `${ages} ${AGE_UNITS[unit] ?? (/^(?:month|week|day)s?$/i.test(unit) ? unit : 'years')}`,
    kind === null || /^(?:normal|normal range)$/i.test(kind) ? null : kind,
  ];
  return parts.filter((part) => part !== null).join(' ');
}
