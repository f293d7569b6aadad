import { decodeEscaped } from './charset.ts';

/** What separates, as MSH-1 and MSH-2 declare it; an empty text where a message declares none. */
export interface Delimiters {
  readonly field: string;
  readonly component: string;
  readonly repetition: string;
  readonly escape: string;
  readonly subcomponent: string;
}

export const USUAL: Delimiters = {
  field: '|',
  component: '^',
  repetition: '~',
  escape: '\\',
  subcomponent: '&',
};

/** The longest escape that is looked for; a lone escape character further from its partner stands for itself. */
const ESCAPE_MAX = 1000;

/**
 * Text without its escapes: delimiters, line breaks, bytes in hexadecimal. What is no escape stays as it is. A carriage
 * return is a line break, as people write it who may not have one in a segment, and a NUL is nothing: no database holds it.
 */
export function unescape(raw: string, delimiters: Delimiters): string {
  const { escape } = delimiters;
  if (escape === '' || !raw.includes(escape)) return raw;
  return unescaped(raw, delimiters).replace(/\r\n?/g, '\n').replaceAll('\0', '');
}

function unescaped(raw: string, delimiters: Delimiters): string {
  const { escape } = delimiters;
  let text = '';
  let from = 0;
  for (;;) {
    const start = raw.indexOf(escape, from);
    const end = start === -1 ? -1 : raw.indexOf(escape, start + 1);
    if (end === -1) return text + raw.slice(from);
    const meant = end - start > ESCAPE_MAX ? undefined : meaningOf(raw.slice(start + 1, end), delimiters);
    text += raw.slice(from, start) + (meant ?? escape);
    from = meant === undefined ? start + 1 : end + 1;
  }
}

/** Formatting commands of FT that begin a new line; other ones have no meaning in plain text. */
const NEW_LINE = /^\.(br|sp|ce)/i;
const SILENT = /^(\.(in|ti|fi|nf|sk)[+-]?\d*|[HN]|[CM][0-9A-F]{4,6}|Z.*)$/i;

function meaningOf(code: string, delimiters: Delimiters): string | undefined {
  switch (code) {
    case 'F':
      return delimiters.field;
    case 'S':
      return delimiters.component;
    case 'T':
      return delimiters.subcomponent;
    case 'R':
      return delimiters.repetition;
    case 'E':
      return delimiters.escape;
    default:
  }
  if (NEW_LINE.test(code)) return '\n';
  if (/^X([0-9A-F]{2})+$/i.test(code)) return decodeEscaped(Buffer.from(code.slice(1), 'hex'));
  return SILENT.test(code) ? '' : undefined;
}

// prettier-ignore
const CODES: Readonly<Record<string, string>> = {
  '|': '\\F\\', '^': '\\S\\', '&': '\\T\\', '~': '\\R\\', '\\': '\\E\\',
};

/** Text as a part of a field with the usual delimiters. Line breaks become `\.br\`, other control characters a space. */
export const escape = (text: string): string =>
  text
    .replace(/[|^&~\\]/g, (mark) => CODES[mark] ?? mark)
    .replace(/\r\n|\r|\n/g, '\\.br\\')
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]/g, ' ');
