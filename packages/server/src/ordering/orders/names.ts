import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import { foldLetters } from '../../platform/fold-letters.ts';
import type { OrderPrivate } from './order.ts';

/** Computes keyed digests (a blind index). */
type BlindIndexer = Pick<TenantCipher, 'blindIndex'>;

/** The column that a sealed name is bound to (additional authenticated data). */
export const NAME_SEAL_CONTEXT = 'order_name.name';

/** The form in which names are compared, sorted and sealed: no diacritics, lower case, single spaces, no hyphens. */
export const nameKey = (name: string): string =>
  foldLetters(name).normalize('NFC').toLowerCase().replaceAll('-', ' ').replaceAll(/\s+/g, ' ').trim();

/** A search can start at any of the first 8 words of a name, and compares at most 32 letters from there. */
const WORDS_MAX = 8;
const LETTERS_MAX = 32;

const ID_BYTES = 16;
const digest = (cipher: BlindIndexer, text: string): Buffer => cipher.blindIndex(`order-name/${text}`);
/** The first 64 bits of a digest, as a signed integer in decimal: the format of the database column. */
const toToken = (cipher: BlindIndexer, text: string): string =>
  digest(cipher, text).readBigInt64BE(0).toString();

/** The id of a name: a keyed digest in hexadecimal. Equal names have equal ids. */
export const nameId = (cipher: BlindIndexer, key: string): string =>
  digest(cipher, `is/${key}`).subarray(0, ID_BYTES).toString('hex');

const takeLetters = (text: string): string[] => Array.from(text).slice(0, LETTERS_MAX);

/** Token of names in which `text` starts at a word. `text` is normalized by `nameKey`, or ends in a space. */
export const prefixToken = (cipher: BlindIndexer, text: string): string =>
  toToken(cipher, `begins/${takeLetters(text).join('')}`);

/** Token of names that equal `key` from one of their words to the end. */
export const suffixToken = (cipher: BlindIndexer, key: string): string => toToken(cipher, `ends/${key}`);

/** All search tokens of a name: for each word, every prefix from there and the rest of the name. */
export function nameTokens(cipher: BlindIndexer, key: string): { begins: string[]; ends: string[] } {
  const words = key.split(' ');
  const ends = words.slice(0, WORDS_MAX).map((_, from) => words.slice(from).join(' '));
  const begins = ends.flatMap((text) => {
    const letters = takeLetters(text);
    return letters.map((_, at) => letters.slice(0, at + 1).join(''));
  });
  return {
    begins: [...new Set(begins)].map((text) => toToken(cipher, `begins/${text}`)),
    ends: [...new Set(ends)].map((text) => suffixToken(cipher, text)),
  };
}

/** The patient's full name; null while the patient is unknown. */
export const patientNameOf = ({ patient }: Pick<OrderPrivate, 'patient'>): string | null =>
  patient && `${patient.first_name} ${patient.last_name}`;

/** The name on the parcel; null if nothing is shipped. */
export const recipientNameOf = ({ shipping }: Pick<OrderPrivate, 'shipping'>): string | null =>
  shipping?.receiver_name ?? null;
