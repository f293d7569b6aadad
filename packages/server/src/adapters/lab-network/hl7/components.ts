/**
 * Laboratories write powers with an unescaped `^`, the component separator: `10^3/uL`, `1.73m^2`. Joins components that
 * are the two halves of a power. An exponent is followed by more of its unit where `isUnit` is not given, because `10^12`
 * may also be the two bounds of a range.
 */
export function joinPowers(components: readonly string[], { isUnit }: { isUnit: boolean }): string[] {
  const joined: string[] = [];
  for (const component of components) {
    const before = joined.at(-1);
    if (before !== undefined && isPower(before, component, isUnit))
      joined[joined.length - 1] = `${before}^${component}`;
    else joined.push(component);
  }
  return joined;
}

const TEN = /(?:^|[\sx*×])10$/i;
const EXPONENT = /^-?\d{1,2}(?=$|[\s/a-zµ(])/i;
const METERS = /(?:^|[^a-z])[cm]?m$/i;
const SQUARE_OR_CUBE = /^[23](?=$|[\s/)])/;

function isPower(before: string, component: string, isUnit: boolean): boolean {
  if (!isUnit && !/^\d{1,2}\s*[/a-zµ]/i.test(component) && !METERS.test(before)) return false;
  return (
    (TEN.test(before) && EXPONENT.test(component)) || (METERS.test(before) && SQUARE_OR_CUBE.test(component))
  );
}

const NUMBER = /^[-+]?(?:\d[\d,]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
export const isNumber = (text: string): boolean => NUMBER.test(text);

const COMPARATOR = /^(?:[<>]=?|=|<>)$/;
export const isComparator = (text: string): boolean => COMPARATOR.test(text);

const SEPARATOR = /^[-–:/+.]$/;
export const isSeparator = (text: string): boolean => SEPARATOR.test(text);

/** Both bounds, or one of them, as laboratories print it; null without a bound. */
export function printBounds(low: string, high: string): string | null {
  if (low !== '' && high !== '') return `${low}-${high}`;
  if (low !== '') return `>=${low}`;
  return high === '' ? null : `<=${high}`;
}

/**
 * A structured number (SN): a comparator, a number, a separator or suffix, another number. The comparator `=` is not
 * printed. Two numbers without a separator are a range. Undefined if the components are something else.
 */
export function printStructuredNumber(components: readonly string[]): string | null | undefined {
  const [first = '', ...others] = components;
  // Some systems leave out the empty comparator.
  const isShifted = first !== '' && !isComparator(first);
  const [number = '', separator = '', last = '', ...more] = isShifted ? components : others;
  const comparator = isShifted || first === '=' ? '' : first;
  if (more.some((part) => part !== '')) return undefined;
  if (isNumber(separator) && last === '') {
    if (number === '') return `${comparator}${separator}`;
    return comparator === '' ? `${number}-${separator}` : undefined;
  }
  if (isNumber(number) && isNumber(last) && separator === '')
    return comparator === '' ? `${number}-${last}` : undefined;
  return [comparator, number, separator, last].join('') || null;
}
