import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { brotliCompressSync, brotliDecompressSync, constants, inflateRawSync } from 'node:zlib';
import { DomainError } from '../errors.ts';
import { randomPieces } from '../random.ts';

/**
 * Sealed bytes: one byte of form, two of the generation of the key from form 3 on, 12 of nonce, 16 of tag, then the
 * ciphertext. Forms 1 and 2 are of the first generation; 5 is packed by Brotli, and 2 and 4 were deflated by earlier
 * versions. AES-256-GCM; the place that the value belongs to is authenticated with it, so that a sealed value that is
 * copied into another row, column or tenant does not open.
 */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const GENERATION_BYTES = 2;
const FIRST = 1;
/** Below this, packing costs more time (some 10 µs) than the bytes are worth. */
const PACK_FROM_BYTES = 2048;
/**
 * The quickest there is: it packs our texts in half of the time of the quickest deflating, to some twentieth more. A
 * window as long as most texts is less memory to get and to clear.
 */
const PACKING = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 0, [constants.BROTLI_PARAM_LGWIN]: 16 },
};

/** So many bytes at the beginning no two sealed values have in common: form, generation, nonce and tag. */
export const TELLING_BYTES = 1 + NONCE_BYTES + TAG_BYTES;

interface Form {
  readonly packing: 'none' | 'deflate' | 'brotli';
  readonly headBytes: number;
}

const PACKED_FORM = 5;
const FORMS: Readonly<Record<number, Form>> = {
  1: { packing: 'none', headBytes: 1 },
  2: { packing: 'deflate', headBytes: 1 },
  3: { packing: 'none', headBytes: 1 + GENERATION_BYTES },
  4: { packing: 'deflate', headBytes: 1 + GENERATION_BYTES },
  [PACKED_FORM]: { packing: 'brotli', headBytes: 1 + GENERATION_BYTES },
};

/** With a key that has no generations. */
export const sealBytes = (key: Buffer, plain: Buffer, place: string): Buffer =>
  sealAs({ key, generation: FIRST, plain, place, pack: plain.length >= PACK_FROM_BYTES });

interface Sealing {
  readonly key: Buffer;
  readonly generation: number;
  readonly plain: Buffer;
  readonly place: string;
  readonly pack: boolean;
}

const nextNonce = randomPieces(NONCE_BYTES);

function sealAs({ key, generation, plain, place, pack }: Sealing): Buffer {
  const nonce = nextNonce();
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(place));
  const body = cipher.update(pack ? brotliCompressSync(plain, PACKING) : plain);
  cipher.final();
  return Buffer.concat([headOf(generation, pack), nonce, cipher.getAuthTag(), body]);
}

const headOf = (generation: number, isPacked: boolean): Buffer =>
  generation === FIRST && !isPacked
    ? Buffer.of(1)
    : Buffer.of(isPacked ? PACKED_FORM : 3, generation >> 8, generation & 255);

function formOf(sealed: Buffer): Form {
  const form = FORMS[sealed[0] ?? 0];
  if (!form || sealed.length < form.headBytes + NONCE_BYTES + TAG_BYTES)
    throw new Error('Not a sealed value');
  return form;
}

/** The generation of the key that sealed a value. */
export const generationOf = (sealed: Buffer): number =>
  formOf(sealed).headBytes === 1 ? FIRST : sealed.readUInt16BE(1);

/** A long text of ours is packed to a seventh or eleventh; with room for it, it is opened in one piece, in half of the time. */
const PACKED_TIMES = 12;
const ROOM_MIN = 16 * 1024;
const ROOM_MAX = 512 * 1024;

const roomFor = (packed: Buffer): number =>
  Math.min(Math.max(packed.length * PACKED_TIMES, ROOM_MIN), ROOM_MAX);

function unpacked(packing: Form['packing'], bytes: Buffer): Buffer {
  if (packing === 'none') return bytes;
  const chunkSize = roomFor(bytes);
  return packing === 'brotli'
    ? brotliDecompressSync(bytes, { chunkSize })
    : inflateRawSync(bytes, { chunkSize });
}

/** Throws when the key, the place or a single bit differs. */
export function openBytes(key: Buffer, sealed: Buffer, place: string): Buffer {
  const { packing, headBytes } = formOf(sealed);
  const [tagAt, bodyAt] = [headBytes + NONCE_BYTES, headBytes + NONCE_BYTES + TAG_BYTES];
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(headBytes, tagAt), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(tagAt, bodyAt));
  const plain = decipher.update(sealed.subarray(bodyAt));
  // GCM holds nothing back; it throws here when a bit differs.
  decipher.final();
  return unpacked(packing, plain);
}

/** What seals and opens the private columns of one tenant. `place` names the column, as `user_info.document`. */
export interface TenantCipher {
  seal(text: string, place: string): Buffer;
  open(sealed: Buffer, place: string): string;
  /** A piece of a file, which is packed already. */
  sealPiece(bytes: Buffer, place: string): Buffer;
  /** Either of them as bytes. */
  openPiece(sealed: Buffer, place: string): Buffer;
  /** The same value under the newest key. */
  reseal(sealed: Buffer, place: string): Buffer;
  /** A keyed digest: equal texts can be found without storing them in clear, within this tenant only. */
  blindIndex(text: string): Buffer;
  /** The generation of the key that seals. */
  readonly generation: number;
}

/** The data keys of a tenant by their generations: one seals, all of them open. */
export interface DataKeys {
  readonly keys: ReadonlyMap<number, Buffer>;
  readonly current: number;
  /** What keyed digests are made with, whatever becomes of the data keys. */
  readonly indexKey: Buffer;
}

/** The index key of a tenant, as it follows from its first data key. */
export const indexKeyOf = (firstKey: Buffer): Buffer =>
  Buffer.from(hkdfSync('sha256', firstKey, '', 'blind-index', 32));

export const firstKeys = (key: Buffer): DataKeys => ({
  keys: new Map([[FIRST, key]]),
  current: FIRST,
  indexKey: indexKeyOf(key),
});

/** Sealed with a key that this process has not read yet: it reads the keys anew within seconds. */
export class UnknownGeneration extends DomainError {
  constructor(generation: number) {
    super('unavailable', `A value is sealed with data key ${generation}, which is not known here yet`, 5);
  }
}

export function tenantCipher({ keys, current, indexKey }: DataKeys, tenantName: string): TenantCipher {
  const fullPlace = (place: string) => `${tenantName}/${place}`;
  const keyOf = (generation: number): Buffer => {
    const key = keys.get(generation);
    if (!key) throw new UnknownGeneration(generation);
    return key;
  };
  const newest = keyOf(current);
  const seal = (plain: Buffer, place: string, pack: boolean): Buffer =>
    sealAs({ key: newest, generation: current, plain, place: fullPlace(place), pack });
  const open = (sealed: Buffer, place: string): Buffer =>
    openBytes(keyOf(generationOf(sealed)), sealed, fullPlace(place));
  const sealText = (plain: Buffer, place: string) => seal(plain, place, plain.length >= PACK_FROM_BYTES);
  return {
    seal: (text, place) => sealText(Buffer.from(text), place),
    open: (sealed, place) => open(sealed, place).toString(),
    sealPiece: (bytes, place) => seal(bytes, place, false),
    openPiece: open,
    reseal: (sealed, place) => seal(open(sealed, place), place, formOf(sealed).packing !== 'none'),
    blindIndex: (text) => createHmac('sha256', indexKey).update(text).digest(),
    generation: current,
  };
}
