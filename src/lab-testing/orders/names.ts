import type { TenantCipher } from '../../platform/crypto/cipher.ts';
import type { OrderPrivate } from './order.ts';

/** What makes keyed digests. */
type Digests = Pick<TenantCipher, 'blindIndex'>;

/** The place that a sealed name is bound to. */
export const NAME_PLACE = 'order_name.name';

/** As names are compared, sorted and sealed: composed, in lower case, with single spaces between words and no hyphens. */
export const nameKey = (name: string): string =>
  name.normalize('NFC').toLowerCase().replaceAll('-', ' ').replaceAll(/\s+/g, ' ').trim();

/** So many words of a name can be the beginning of what is looked for, and so many letters from there on count. */
const WORDS_MAX = 8;
const LETTERS_MAX = 32;

const ID_BYTES = 16;
const digest = (cipher: Digests, text: string): Buffer => cipher.blindIndex(`order-name/${text}`);
/** The beginning of a digest as the database keeps it: a signed integer of 64 bits, in decimal. */
const tokenOf = (cipher: Digests, text: string): string => digest(cipher, text).readBigInt64BE(0).toString();

/** Of a whole name, in hexadecimal digits: equal names have one id. */
export const nameId = (cipher: Digests, key: string): string =>
  digest(cipher, `is/${key}`).subarray(0, ID_BYTES).toString('hex');

const lettersOf = (text: string): string[] => Array.from(text).slice(0, LETTERS_MAX);

/** What a name has that begins so from one of its words on; `text` is in the form of `nameKey`, or ends in a space. */
export const beginsToken = (cipher: Digests, text: string): string =>
  tokenOf(cipher, `begins/${lettersOf(text).join('')}`);

/** What a name has that is just so from one of its words on. */
export const endsToken = (cipher: Digests, key: string): string => tokenOf(cipher, `ends/${key}`);

/** All that a name is found by: each beginning from each of its words on, and the whole from there. */
export function nameTokens(cipher: Digests, key: string): { begins: string[]; ends: string[] } {
  const words = key.split(' ');
  const ends = words.slice(0, WORDS_MAX).map((_, from) => words.slice(from).join(' '));
  const begins = ends.flatMap((text) => {
    const letters = lettersOf(text);
    return letters.map((_, at) => letters.slice(0, at + 1).join(''));
  });
  return {
    begins: [...new Set(begins)].map((text) => tokenOf(cipher, `begins/${text}`)),
    ends: [...new Set(ends)].map((text) => endsToken(cipher, text)),
  };
}

/** The name of the patient as it is printed; null while nobody is known. */
export const patientNameOf = ({ patient }: Pick<OrderPrivate, 'patient'>): string | null =>
  patient && `${patient.first_name} ${patient.last_name}`;

/** The name on the parcel; null where nothing is sent. */
export const recipientNameOf = ({ shipping }: Pick<OrderPrivate, 'shipping'>): string | null =>
  shipping?.receiver_name ?? null;
