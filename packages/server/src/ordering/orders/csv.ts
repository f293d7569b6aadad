type CsvValue = string | number | boolean | null;

/** A spreadsheet would run these as a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** One line of CSV (RFC 4180). A text that begins like a formula gets an apostrophe before it. */
export const toCsvLine = (values: readonly CsvValue[]): string => `${values.map(toCell).join(',')}\r\n`;

function toCell(value: CsvValue): string {
  const text = typeof value === 'string' && FORMULA.test(value) ? `'${value}` : String(value ?? '');
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
