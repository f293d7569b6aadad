import { openBytes, sealBytes, type TenantCipher } from '../../platform/crypto/cipher.ts';
import { deriveKey, type Keyring } from '../../platform/crypto/keyring.ts';
import { createHmac } from 'node:crypto';

const BODY = 'lab_message.body';

/** Bytes of any character set, sealed so that every one of them comes back. */
export const sealBody = (cipher: TenantCipher, bytes: Buffer): Buffer =>
  cipher.seal(bytes.toString('latin1'), BODY);

export const openBody = (cipher: TenantCipher, sealed: Buffer): Buffer =>
  Buffer.from(cipher.open(sealed, BODY), 'latin1');

/** The header up to MSH-7: its separator, and what stands before the moment. */
const UP_TO_MOMENT = /^(MSH(.)(?:[^\r\n]*?\2){5})/;

/**
 * Tells messages under one control id apart by what they say. The moment in the header counts for nothing: a
 * laboratory that sends again may write it anew.
 */
export function digestOf(cipher: TenantCipher, bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const [before = '', , separator = ''] = UP_TO_MOMENT.exec(text) ?? [];
  const moment = separator === '' ? 0 : text.indexOf(separator, before.length);
  const rest = moment > 0 ? text.slice(moment) : text.slice(before.length);
  return cipher.blindIndex(`lab-message/${before}${rest}`);
}

const UNCLAIMED = 'lab_unclaimed_message';

/** What belongs to no tenant is sealed with a key of the deployment. */
export const sealUnclaimed = (keyring: Keyring, bytes: Buffer): { body: Buffer; digest: Buffer } =>
  sealWith(keyring.derive(UNCLAIMED), bytes);

const sealWith = (key: Buffer, bytes: Buffer) => ({
  body: sealBytes(key, bytes, UNCLAIMED),
  digest: createHmac('sha256', key).update(bytes).digest(),
});

export const openUnclaimedBody = (keyring: Keyring, sealed: Buffer): Buffer =>
  openBytes(keyring.derive(UNCLAIMED), sealed, UNCLAIMED);

/** The same under the key of today, for one that the ENCRYPTION_KEY before it has sealed; undefined where neither opens it. */
export function resealedUnclaimed(
  keyring: Keyring,
  previousKey: string,
  sealed: Buffer,
): { body: Buffer; digest: Buffer } | undefined {
  try {
    return sealUnclaimed(keyring, openBytes(deriveKey(previousKey, UNCLAIMED), sealed, UNCLAIMED));
  } catch {
    return undefined;
  }
}
