import type { ReceivedObservation } from '../received.ts';
import type { Concept, Extension, PrintedRange, Quantity, Valued } from './wire.ts';
import type { z } from 'zod';

export type Printed = Pick<ReceivedObservation, 'form' | 'value' | 'unit'>;

const RENDERED = 'http://hl7.org/fhir/StructureDefinition/rendered-value';

/** A value as a laboratory would print it, and what kind of thing it is; null where none came. */
export function printedOf(given: Valued): Printed | null {
  const { valueQuantity, valueCodeableConcept, valueRange, valueRatio, valuePeriod } = given;
  if (valueQuantity) return ofQuantity(valueQuantity);
  if (valueCodeableConcept) return said('coded', wordsOf(valueCodeableConcept));
  if (valueRange) {
    const { low, high, extension } = valueRange;
    const unit = unitOf(low) ?? unitOf(high);
    const text = rendered(extension) ?? stretch(numberOf(low), numberOf(high));
    return { form: 'structured', value: text, unit };
  }
  if (valueRatio) {
    const { numerator, denominator, extension } = valueRatio;
    const plain = [numberOf(numerator), numberOf(denominator)].filter((part) => part !== null).join(':');
    return { form: 'structured', value: rendered(extension) ?? plain, unit: unitOf(denominator) };
  }
  if (valuePeriod) return said('text', [valuePeriod.start, valuePeriod.end].filter(Boolean).join(' - '));
  return ofPrimitive(given);
}

const said = (form: Printed['form'], value: string | null): Printed => ({ form, value, unit: null });

function ofPrimitive(given: Valued): Printed | null {
  const { valueString, valueInteger, valueBoolean, valueTime, valueDateTime } = given;
  if (valueInteger !== undefined) return said('number', String(valueInteger));
  const text = valueString ?? valueTime ?? valueDateTime;
  if (text !== undefined) return said('text', text);
  return valueBoolean === undefined ? null : said('coded', valueBoolean ? 'true' : 'false');
}

function ofQuantity(quantity: Quantity): Printed {
  const number = numberOf(quantity);
  const plain = number === null ? null : `${quantity.comparator ?? ''}${number}`;
  return {
    form: quantity.comparator === undefined ? 'number' : 'structured',
    value: rendered(quantity.extension) ?? plain,
    unit: unitOf(quantity),
  };
}

const rendered = (extensions: readonly z.output<typeof Extension>[]): string | undefined =>
  extensions.find(({ url }) => url === RENDERED)?.valueString;

const numberOf = (quantity: Quantity | undefined): string | null =>
  quantity?.value === undefined ? null : String(quantity.value);
const unitOf = (quantity: Quantity | undefined): string | null => quantity?.unit ?? quantity?.code ?? null;

function stretch(low: string | null, high: string | null): string | null {
  if (low !== null && high !== null) return `${low}-${high}`;
  if (low !== null) return `>=${low}`;
  return high === null ? null : `<=${high}`;
}

/** What a concept says in words; its code where it has no words. */
export function wordsOf({ text, coding }: Concept): string | null {
  const shown = coding.find(({ display }) => display !== undefined)?.display;
  return text ?? shown ?? coding[0]?.code ?? null;
}

/**
 * Reference ranges in one line, each under whom it is for: `Male: 13-17; Female: 12-15`. One in another unit than the
 * value says so, that nobody holds the one against the other.
 */
export function rangeOf(ranges: readonly PrintedRange[], unit: string | null): string | null {
  const lines = ranges.flatMap((range) => {
    const bounds = boundsOf(range, unit);
    if (bounds === null || bounds === '') return [];
    const label = ranges.length > 1 ? labelOf(range) : '';
    return [label === '' ? bounds : `${label}: ${bounds}`];
  });
  return lines.length > 0 ? lines.join('; ') : null;
}

function boundsOf({ text, low, high }: PrintedRange, unit: string | null): string | null {
  const bounds = text ?? stretch(numberOf(low), numberOf(high));
  const own = unitOf(low) ?? unitOf(high);
  if (bounds === null || bounds === '' || own === null || own === unit || bounds.includes(own)) return bounds;
  return `${bounds} ${own}`;
}

/** Of UCUM; ages are in years where nothing else is said. */
const AGE_UNITS: Readonly<Record<string, string>> = { mo: 'months', wk: 'weeks', d: 'days' };

function labelOf({ appliesTo, age, type }: PrintedRange): string {
  const ages = stretch(numberOf(age?.low), numberOf(age?.high));
  const counted = age?.low ?? age?.high;
  const unit = counted?.code ?? counted?.unit ?? '';
  const kind = type ? wordsOf(type) : null;
  const parts = [
    ...appliesTo.map((concept) => wordsOf(concept)),
    ages === null
      ? null
      : `${ages} ${AGE_UNITS[unit] ?? (/^(?:month|week|day)s?$/i.test(unit) ? unit : 'years')}`,
    kind === null || /^(?:normal|normal range)$/i.test(kind) ? null : kind,
  ];
  return parts.filter((part) => part !== null).join(' ');
}
