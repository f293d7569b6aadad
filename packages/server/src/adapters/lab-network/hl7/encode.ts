import { foldLetters } from '../../../platform/fold-letters.ts';
import type { OrderCharacterSet } from '../protocol.ts';

/** The sets of single bytes, by the name that TextDecoder knows; ASCII has only the lower half. */
const DECODER_NAMES: Readonly<Record<Exclude<OrderCharacterSet, 'UNICODE UTF-8'>, string>> = {
  ASCII: 'utf-8',
  '8859/1': 'iso-8859-1',
  '8859/2': 'iso-8859-2',
  '8859/9': 'windows-1254',
  '8859/15': 'iso-8859-15',
};

type SingleByteCharset = keyof typeof DECODER_NAMES;

/** The first byte that is a printable character in all parts of ISO 8859. */
const UPPER_START = 0xa0;

function buildTable(charset: SingleByteCharset): ReadonlyMap<string, number> {
  const table = new Map<string, number>();
  for (let byte = 0; byte < 0x80; byte += 1) table.set(String.fromCharCode(byte), byte);
  if (charset === 'ASCII') return table;
  const decoder = new TextDecoder(DECODER_NAMES[charset]);
  for (let byte = UPPER_START; byte <= 0xff; byte += 1) table.set(decoder.decode(Uint8Array.of(byte)), byte);
  return table;
}

const tables = new Map<SingleByteCharset, ReadonlyMap<string, number>>();

function getTable(charset: SingleByteCharset): ReadonlyMap<string, number> {
  const table = tables.get(charset) ?? buildTable(charset);
  tables.set(charset, table);
  return table;
}

/** In the place of a character that has no transliteration: a question mark would look like the laboratory's own. */
const UNWRITABLE = '_';

/**
 * Encodes text in a character set. A character that it does not have is written by its base letter: `Łukasz Ångström`
 * is `Lukasz Ångström` in ISO 8859-1.
 */
export function encodeText(text: string, charset: OrderCharacterSet): Buffer {
  const composed = text.normalize('NFC');
  if (charset === 'UNICODE UTF-8') return Buffer.from(composed);
  const table = getTable(charset);
  const bytes: number[] = [];
  for (const character of composed) {
    const byte = table.get(character);
    if (byte !== undefined) bytes.push(byte);
    else
      for (const letter of foldLetters(character)) bytes.push(table.get(letter) ?? UNWRITABLE.charCodeAt(0));
  }
  return Buffer.from(bytes);
}
