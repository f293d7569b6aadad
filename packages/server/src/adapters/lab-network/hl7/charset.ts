import { isAscii as isAsciiOnly } from 'node:buffer';
import { UnreadableMessageError } from '../protocol.ts';

/** A character set by its label in the WHATWG Encoding Standard, which TextDecoder knows. */
type Hl7Charset =
  | 'ascii'
  | 'utf-8'
  | 'windows-1252'
  | `windows-125${0 | 1 | 3 | 4 | 5 | 6 | 7 | 8}`
  | `iso-8859-${2 | 3 | 4 | 5 | 6 | 7 | 8 | 10 | 13 | 14 | 15 | 16}`
  | 'big5'
  | 'gb18030'
  | 'euc-kr'
  | 'shift_jis'
  | 'euc-jp'
  | 'iso-2022-jp';

/**
 * HL7 table 0211 and common other names, without blanks and punctuation. ISO 8859-1 is read as windows-1252, its
 * superset: what it leaves to control characters are quotation marks and the euro sign in truth. The same holds for
 * ISO 8859-9 and windows-1254.
 */
// prettier-ignore
const CHARSETS: ReadonlyMap<string, Hl7Charset> = new Map<string, Hl7Charset>([
  ['', 'ascii'], ['ASCII', 'ascii'], ['USASCII', 'ascii'], ['ISOIR6', 'ascii'],
  ['UNICODEUTF8', 'utf-8'], ['UTF8', 'utf-8'], ['UNICODE', 'utf-8'],
  ['88591', 'windows-1252'], ['LATIN1', 'windows-1252'], ['ISOIR100', 'windows-1252'],
  ['88592', 'iso-8859-2'], ['LATIN2', 'iso-8859-2'], ['ISOIR101', 'iso-8859-2'],
  ['88593', 'iso-8859-3'], ['88594', 'iso-8859-4'], ['88595', 'iso-8859-5'], ['88596', 'iso-8859-6'],
  ['88597', 'iso-8859-7'], ['88598', 'iso-8859-8'],
  ['88599', 'windows-1254'], ['LATIN5', 'windows-1254'],
  ['885910', 'iso-8859-10'], ['885913', 'iso-8859-13'], ['885914', 'iso-8859-14'],
  ['885915', 'iso-8859-15'], ['LATIN9', 'iso-8859-15'], ['885916', 'iso-8859-16'],
  ['1250', 'windows-1250'], ['1251', 'windows-1251'], ['1252', 'windows-1252'], ['ANSI', 'windows-1252'],
  ['1253', 'windows-1253'], ['1254', 'windows-1254'], ['1255', 'windows-1255'], ['1256', 'windows-1256'],
  ['1257', 'windows-1257'], ['1258', 'windows-1258'],
  ['BIG5', 'big5'], ['GB180302000', 'gb18030'], ['GB18030', 'gb18030'], ['GBK', 'gb18030'], ['GB2312', 'gb18030'],
  ['KSX1001', 'euc-kr'], ['EUCKR', 'euc-kr'],
  ['SHIFTJIS', 'shift_jis'], ['SJIS', 'shift_jis'], ['EUCJP', 'euc-jp'],
  ['ISOIR87', 'iso-2022-jp'], ['ISO2022JP', 'iso-2022-jp'],
]);

/** `ISO 8859-1`, `ISO_8859/1` and `8859/1` are one name, as are `CP1252`, `WINDOWS-1252` and `1252`. */
const toCharset = (name: string): Hl7Charset | undefined =>
  CHARSETS.get(
    name
      .toUpperCase()
      .replace(/[^A-Z0-9]/g, '')
      .replace(/^ISO(?=8859)/, '')
      .replace(/^(WINDOWS|WIN|CP|MSCP)(?=125\d$)/, ''),
  );

const CHARACTER_SET_FIELD = 17;
const HEAD_BYTES = 4096;
const NAME_MAX = 40;

/** Reads MSH-18 before decoding: up to there the header is ASCII in every character set. */
function readDeclaredNames(bytes: Buffer): string[] {
  const head = bytes
    .subarray(0, HEAD_BYTES)
    .toString('latin1')
    .replace(/^(?:\xEF\xBB\xBF)?\s*/, '');
  const line = head.split(/[\r\n]/, 1)[0] ?? '';
  const separator = line[3] ?? '|';
  const repetition = line[5] ?? '~';
  const field = line.split(separator)[CHARACTER_SET_FIELD] ?? '';
  return field.split(repetition).map((name) => name.trim());
}

/** In these, nearly every sequence of bytes is a text, so that a valid text proves nothing. */
const isSingleByte = (charset: Hl7Charset): boolean => /^(windows|iso-8859)-/.test(charset);

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** The text, or undefined if the bytes are invalid in the character set. */
function tryDecode(charset: Exclude<Hl7Charset, 'ascii'>, bytes: Buffer): string | undefined {
  if (charset === 'windows-1252') return decodeWindows1252(bytes);
  const decoder = decoders.get(charset) ?? new TextDecoder(charset, { fatal: true });
  decoders.set(charset, decoder);
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** The characters of the bytes 0x80 to 0x9F; the five that have none stay control characters. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008DŽ\u008F\u0090‘’“”•–—˜™š›œ\u009DžŸ';

/** Our own table, because TextDecoder of Node 20 decodes windows-1252 as ISO 8859-1. */
const decodeWindows1252 = (bytes: Buffer): string =>
  bytes
    .toString('latin1')
    .replace(/[\u0080-\u009F]/g, (control) => WINDOWS_1252[control.charCodeAt(0) - 0x80] ?? control);

const ESCAPE = 0x1b;
const isAscii = (bytes: Buffer): boolean => isAsciiOnly(bytes) && !bytes.includes(ESCAPE);

/**
 * Decodes a message by its bytes and by what MSH-18 declares, in all its repetitions. Bytes of ASCII alone are read
 * whatever is declared. Other bytes that are valid UTF-8 are UTF-8, unless a set of several bytes is declared in which
 * they are valid, too: no text in a set of single bytes looks like UTF-8 by chance. Undeclared or ASCII messages with
 * other bytes are windows-1252. Throws UnreadableMessageError if no declared character set fits.
 */
export function decodeMessage(bytes: Buffer): string {
  if (isAscii(bytes)) return bytes.toString('latin1');
  const names = readDeclaredNames(bytes);
  const text = createDecoder(names)(bytes);
  if (text !== undefined) return text;
  const shown = names.join(', ').slice(0, NAME_MAX);
  throw new UnreadableMessageError(
    `The bytes are not in a supported character set: MSH-18 declares ${shown}`,
  );
}

/** Decodes bytes; undefined if they are in no expected character set. */
export type BytesDecoder = (bytes: Buffer) => string | undefined;

/** UTF-8 if valid, else windows-1252. */
export const decodeUndeclared: BytesDecoder = (bytes) =>
  tryDecode('utf-8', bytes) ?? decodeWindows1252(bytes);

function createDecoder(names: readonly string[]): BytesDecoder {
  if (names.every((name) => toCharset(name) === 'ascii')) return decodeUndeclared;
  const declared = names.flatMap((name) => toCharset(name) ?? []).filter((one) => one !== 'ascii');
  const multibyte = declared.filter((one) => !isSingleByte(one));
  const tried = [...multibyte, 'utf-8' as const, ...declared.filter(isSingleByte)];
  return (bytes) => {
    for (const charset of tried) {
      const text = tryDecode(charset, bytes);
      if (text !== undefined) return text;
    }
    return undefined;
  };
}

/** Decodes the bytes of hexadecimal escapes by what MSH-18 declares, as those of the message. */
export const createEscapeDecoder = (message: Buffer): BytesDecoder =>
  createDecoder(readDeclaredNames(message));
