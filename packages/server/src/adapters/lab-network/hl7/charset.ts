import { UnreadableMessageError } from '../protocol.ts';

type Hl7Charset = 'ascii' | 'utf-8' | 'latin1';

/** The supported character sets of HL7 table 0211, and common nonstandard names. */
// prettier-ignore
const CHARSETS: Readonly<Record<string, Hl7Charset>> = {
  '':                'ascii',
  'ASCII':           'ascii',
  'US-ASCII':        'ascii',
  'UNICODE UTF-8':   'utf-8',
  'UTF-8':           'utf-8',
  'UTF8':            'utf-8',
  'UNICODE':         'utf-8',
  '8859/1':          'latin1',
  'ISO-8859-1':      'latin1',
  'ISO8859-1':       'latin1',
  'ISO IR100':       'latin1',
};

const strict = new TextDecoder('utf-8', { fatal: true });
const CHARACTER_SET_FIELD = 17;
const HEAD_BYTES = 4096;

/** Reads MSH-18 before decoding: up to there the header is ASCII in every character set. */
function readDeclaredCharset(bytes: Buffer): string {
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  const line = head.split(/[\r\n]/, 1)[0] ?? '';
  const separator = line[3] ?? '|';
  const repetition = line[5] ?? '~';
  const field = line.split(separator)[CHARACTER_SET_FIELD] ?? '';
  return (field.split(repetition)[0] ?? '').trim().toUpperCase();
}

/**
 * Decodes a message in its declared character set. Undeclared or ASCII messages with other bytes are decoded as UTF-8
 * if valid, else as ISO 8859-1. Throws UnreadableMessageError for an unsupported character set and for bytes that are
 * invalid in the declared one.
 */
export function decodeMessage(bytes: Buffer): string {
  const name = readDeclaredCharset(bytes);
  const charset = CHARSETS[name];
  if (charset === undefined)
    throw new UnreadableMessageError('MSH-18 names a character set that is not supported');
  if (charset === 'latin1') return bytes.toString('latin1');
  try {
    return strict.decode(bytes);
  } catch {
    if (charset === 'utf-8')
      throw new UnreadableMessageError('The bytes are not UTF-8, which MSH-18 declares');
    return bytes.toString('latin1');
  }
}

/** Decodes bytes of a hexadecimal escape: UTF-8 if valid, else ISO 8859-1. */
export function decodeEscaped(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
