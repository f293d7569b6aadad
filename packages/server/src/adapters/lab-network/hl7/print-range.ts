import {
  isComparator,
  isNumber,
  isSeparator,
  joinPowers,
  printBounds,
  printStructuredNumber,
} from './components.ts';
import { mapDefined } from './fields.ts';
import type { FieldReader, Hl7Segment } from './syntax.ts';

/**
 * The reference range (OBX-7) as printed. It is a text in the standard, but some laboratories send components: bounds
 * (`70^99`, `^^10.0`), a structured number (`<^10`), or numbers with a unit, which is printed only if it is not that of
 * the value. Ranges that repeat are joined.
 */
export function readRange(read: FieldReader, segment: Hl7Segment, unit: string | null): string | null {
  const raws = read.all(segment, 7);
  const [only] = raws;
  if (raws.length <= 1 && (only === undefined || read.isPlain(only))) return read.whole(segment, 7);
  const ranges = mapDefined(raws, (raw) => printRange(read, raw, unit));
  return ranges.length === 0 ? null : ranges.join('; ');
}

function printRange(read: FieldReader, raw: string, unit: string | null): string | null {
  if (raw === '""') return null;
  const components = joinPowers(
    read.components(raw).map((component) => printSubcomponents(component)),
    { isUnit: false },
  );
  const [only, ...others] = components;
  if (only !== undefined && others.length === 0) return only === '' ? null : only;
  return printComponents(components, unit) ?? (components.filter((one) => one !== '').join(' ') || null);
}

/** Bounds as subcomponents, or a number with its unit. */
const printSubcomponents = (parts: readonly string[]): string =>
  parts.length === 2 && parts.every(isNumber)
    ? parts.join('-')
    : parts.filter((part) => part !== '').join(' ');

const NUMBER_WITH_UNIT = /^([-+]?[\d.,]+)\s+((?![\d.,]+$)\S+)$/;

/** Undefined if the components are not bounds. */
function printComponents(given: readonly string[], ownUnit: string | null): string | null | undefined {
  const units = new Set<string>();
  const bare = given.map((component) => {
    const [, number, unit] = NUMBER_WITH_UNIT.exec(component) ?? [];
    if (number === undefined || unit === undefined) return component;
    units.add(unit);
    return number;
  });
  const [first = '', ...others] = bare;
  if (isComparator(first)) {
    const unit = others.find((one) => one !== '' && !isNumber(one) && !isSeparator(one));
    if (unit !== undefined) units.add(unit);
    const printed = printStructuredNumber([first, ...others.filter((one) => one !== unit)]);
    units.delete(ownUnit ?? '');
    return printed && withUnits(printed, units);
  }
  const numbers: { readonly number: string; readonly at: number }[] = [];
  for (const [at, one] of bare.entries()) {
    if (isNumber(one)) numbers.push({ number: one, at });
    else if (one !== '' && !isSeparator(one)) units.add(one);
  }
  const [low, high, ...more] = numbers;
  if (!low || more.length > 0 || units.size > 1) return undefined;
  const bounds = high
    ? printBounds(low.number, high.number)
    : low.at === 0
      ? printBounds(low.number, '')
      : printBounds('', low.number);
  units.delete(ownUnit ?? '');
  return bounds && withUnits(bounds, units);
}

const withUnits = (printed: string, units: ReadonlySet<string>): string => [printed, ...units].join(' ');
