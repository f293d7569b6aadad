export interface Segment {
  readonly name: string;
  /** Those that have a value, by their HL7 number. */
  readonly fields: readonly { readonly number: number; readonly value: string }[];
}

/** Segments that say by their first character what separates fields. */
const HEADERS = new Set(['MSH', 'FHS', 'BHS']);
const DEFAULT_SEPARATOR = '|';

/** Splits a message for reading. It interprets nothing: components and escapes stay as they were sent. */
export function parseHl7(text: string): readonly Segment[] {
  let separator = DEFAULT_SEPARATOR;
  return text
    .split(/\r\n|\r|\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const name = line.slice(0, 3);
      const isHeader = HEADERS.has(name);
      if (isHeader) separator = line[3] ?? DEFAULT_SEPARATOR;
      const parts = line.split(separator).slice(1);
      // The separator itself is the first field of a header.
      const values = isHeader ? [separator, ...parts] : parts;
      const fields = values
        .map((value, index) => ({ number: index + 1, value }))
        .filter(({ value }) => value !== '');
      return { name, fields };
    });
}
