const DAY = new Intl.DateTimeFormat(undefined, { month: 'short', day: 'numeric', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

export const printDay = (at: unknown): string => DAY.format(new Date(Number(at)));

/** The time of a point in full. */
export const printTime = (at: unknown, scale: 'days' | 'time'): string =>
  scale === 'time' ? TIME.format(new Date(Number(at))) : printDay(at);

export const printNumber = (value: number): string =>
  value.toLocaleString(undefined, { maximumFractionDigits: 2 });

/** A value, or the two ends of a band. */
export function printValue(value: unknown, print: (value: number) => string): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map((end) => print(Number(end))).join(' – ');
  return print(Number(value));
}
