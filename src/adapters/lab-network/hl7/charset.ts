import { UnreadableMessage } from '../wire.ts';

type Charset = 'ascii' | 'utf-8' | 'latin1';

/** HL7 table 0211, as far as laboratories here use it; and what some write instead. */
// prettier-ignore
const CHARSETS: Readonly<Record<string, Charset>> = {
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

/** What MSH-18 says, read before anything is decoded: the header is ASCII up to there in every character set. */
function declared(bytes: Buffer): string {
  const head = bytes.subarray(0, HEAD_BYTES).toString('latin1');
  const line = head.split(/[\r\n]/, 1)[0] ?? '';
  const separator = line[3] ?? '|';
  const repetition = line[5] ?? '~';
  const field = line.split(separator)[CHARACTER_SET_FIELD] ?? '';
  return (field.split(repetition)[0] ?? '').trim().toUpperCase();
}

/**
 * The text of a message in the character set that it declares. Where it declares none, or ASCII, and holds more than
 * that, it is UTF-8 if it can be and else ISO 8859-1: what laboratories send who do not say. Throws UnreadableMessage
 * for a character set that is not known here, and for bytes that are not what was declared.
 */
export function decode(bytes: Buffer): string {
  const name = declared(bytes);
  const charset = CHARSETS[name];
  if (charset === undefined)
    throw new UnreadableMessage('MSH-18 names a character set that is not supported');
  if (charset === 'latin1') return bytes.toString('latin1');
  try {
    return strict.decode(bytes);
  } catch {
    if (charset === 'utf-8') throw new UnreadableMessage('The bytes are not UTF-8, which MSH-18 declares');
    return bytes.toString('latin1');
  }
}

/** Bytes that an escape names one by one: UTF-8 where they are, else ISO 8859-1. */
export function decodeEscaped(bytes: Buffer): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
