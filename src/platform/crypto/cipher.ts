import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';

/**
 * Sealed bytes: one byte of form (1 plain, 2 deflated), 12 of nonce, 16 of tag, then the ciphertext.
 * AES-256-GCM; the place that the value belongs to is authenticated with it, so that a sealed value
 * that is copied into another row, column or tenant does not open.
 */
const PLAIN = 1;
const DEFLATED = 2;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const HEAD_BYTES = 1 + NONCE_BYTES + TAG_BYTES;
/** Below this, deflating costs more time (some 15 µs) than the bytes are worth. */
const DEFLATE_FROM_BYTES = 2048;
const DEFLATE_LEVEL = 1;

export function sealBytes(key: Buffer, plain: Buffer, place: string): Buffer {
  const deflated = plain.length >= DEFLATE_FROM_BYTES;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(place));
  const body = cipher.update(deflated ? deflateRawSync(plain, { level: DEFLATE_LEVEL }) : plain);
  cipher.final();
  return Buffer.concat([Buffer.of(deflated ? DEFLATED : PLAIN), nonce, cipher.getAuthTag(), body]);
}

/** Throws when the key, the place or a single bit differs. */
export function openBytes(key: Buffer, sealed: Buffer, place: string): Buffer {
  const form = sealed[0];
  if (sealed.length < HEAD_BYTES || (form !== PLAIN && form !== DEFLATED))
    throw new Error('Not a sealed value');
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(1, 1 + NONCE_BYTES), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAAD(Buffer.from(place));
  decipher.setAuthTag(sealed.subarray(1 + NONCE_BYTES, HEAD_BYTES));
  const plain = Buffer.concat([decipher.update(sealed.subarray(HEAD_BYTES)), decipher.final()]);
  return form === DEFLATED ? inflateRawSync(plain) : plain;
}

/** What seals and opens the private columns of one tenant. `place` names the column, as `user_info.document`. */
export interface TenantCipher {
  seal(text: string, place: string): Buffer;
  open(sealed: Buffer, place: string): string;
  /** A keyed digest: equal texts can be found without storing them in clear, within this tenant only. */
  blindIndex(text: string): Buffer;
}

export function tenantCipher(dataKey: Buffer, tenantName: string): TenantCipher {
  const indexKey = Buffer.from(hkdfSync('sha256', dataKey, '', 'blind-index', 32));
  const fullPlace = (place: string) => `${tenantName}/${place}`;
  return {
    seal: (text, place) => sealBytes(dataKey, Buffer.from(text), fullPlace(place)),
    open: (sealed, place) => openBytes(dataKey, sealed, fullPlace(place)).toString(),
    blindIndex: (text) => createHmac('sha256', indexKey).update(text).digest(),
  };
}
