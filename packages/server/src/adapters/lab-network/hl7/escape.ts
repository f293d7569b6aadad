import { decodeUndeclared, type BytesDecoder } from './charset.ts';

/** The delimiters declared in MSH-1 and MSH-2; empty strings for undeclared ones. */
export interface Hl7Delimiters {
  readonly field: string;
  readonly component: string;
  readonly repetition: string;
  readonly escape: string;
  readonly subcomponent: string;
}

export const DEFAULT_DELIMITERS: Hl7Delimiters = {
  field: '|',
  component: '^',
  repetition: '~',
  escape: '\\',
  subcomponent: '&',
};

/** Maximum length of an escape sequence; an escape character without a partner in reach is literal. */
const ESCAPE_MAX = 1000;

/**
 * Replaces escape sequences: delimiters, line breaks, hexadecimal bytes in a character set of the message. Sequences
 * that are unknown, switch to another character set, or have bytes of none stay as they are. Escaped carriage returns
 * become line breaks; NUL characters are removed, because PostgreSQL cannot store them.
 */
export function unescapeText(
  raw: string,
  delimiters: Hl7Delimiters,
  decode: BytesDecoder = decodeUndeclared,
): string {
  const { escape } = delimiters;
  if (escape === '' || !raw.includes(escape)) return raw;
  return replaceEscapes(raw, delimiters, decode).replace(/\r\n?/g, '\n').replaceAll('\0', '');
}

function replaceEscapes(raw: string, delimiters: Hl7Delimiters, decode: BytesDecoder): string {
  const { escape } = delimiters;
  let text = '';
  let from = 0;
  for (;;) {
    const start = raw.indexOf(escape, from);
    let end = start === -1 ? -1 : raw.indexOf(escape, start + 1);
    if (end === -1) return text + raw.slice(from);
    let code = end - start > ESCAPE_MAX ? '' : raw.slice(start + 1, end);
    // A character of several bytes may be written as several sequences.
    while (HEXADECIMAL.test(code)) {
      const next = raw.indexOf(escape, end + 2);
      const following = raw[end + 1] === escape && next !== -1 ? raw.slice(end + 2, next) : '';
      if (!HEXADECIMAL.test(following) || next - start > ESCAPE_MAX) break;
      code += following.slice(1);
      end = next;
    }
    const meant = resolveEscape(code, delimiters, decode);
    text += raw.slice(from, start) + (meant ?? escape);
    from = meant === undefined ? start + 1 : end + 1;
  }
}

const HEXADECIMAL = /^X([0-9A-F]{2})+$/i;
/** FT formatting commands that start a new line; the others have no effect in plain text. */
const NEW_LINE = /^\.(br|sp|ce)/i;
/** `C2842` switches back to ASCII, in which all text that follows is. */
const IGNORED_COMMAND = /^(\.(in|ti|fi|nf|sk)[+-]?\d*|[HN]|C2842|Z.*)$/i;

function resolveEscape(code: string, delimiters: Hl7Delimiters, decode: BytesDecoder): string | undefined {
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
  if (HEXADECIMAL.test(code)) return decode(Buffer.from(code.slice(1), 'hex'));
  return IGNORED_COMMAND.test(code) ? '' : undefined;
}

// prettier-ignore
const ESCAPE_CODES: Readonly<Record<string, string>> = {
  '|': '\\F\\', '^': '\\S\\', '&': '\\T\\', '~': '\\R\\', '\\': '\\E\\',
};

/** Escapes text for the default delimiters. Line breaks become `\.br\`, other control characters a space. */
export const escapeText = (text: string): string =>
  text
    .replace(/[|^&~\\]/g, (mark) => ESCAPE_CODES[mark] ?? mark)
    .replace(/\r\n|\r|\n/g, '\\.br\\')
    // eslint-disable-next-line no-control-regex
    .replace(/[\u0000-\u001f\u007f]/g, ' ');
