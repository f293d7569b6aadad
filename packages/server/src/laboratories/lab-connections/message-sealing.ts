import { openBytes, sealBytes, type TenantCipher } from '../../platform/crypto/cipher.ts';
import { deriveKey, type Keyring } from '../../platform/crypto/keyring.ts';
import { createHmac } from 'node:crypto';

const BODY_SEAL_CONTEXT = 'lab_message.body';

/** Encrypts bytes of any character set without loss. */
export const sealBody = (cipher: TenantCipher, bytes: Buffer): Buffer =>
  cipher.seal(bytes.toString('latin1'), BODY_SEAL_CONTEXT);

export const openBody = (cipher: TenantCipher, sealed: Buffer): Buffer =>
  Buffer.from(cipher.open(sealed, BODY_SEAL_CONTEXT), 'latin1');

/** Matches the header before MSH-7 (timestamp) and captures the field separator. */
const HEADER_BEFORE_TIMESTAMP = /^(MSH(.)(?:[^\r\n]*?\2){5})/;

/**
 * Distinguishes messages with the same control id by their content. Ignores the header timestamp, which a laboratory
 * may change when it sends a message again.
 */
export function digestMessage(cipher: TenantCipher, bytes: Buffer): Buffer {
  const text = bytes.toString('latin1');
  const [before = '', , separator = ''] = HEADER_BEFORE_TIMESTAMP.exec(text) ?? [];
  const moment = separator === '' ? 0 : text.indexOf(separator, before.length);
  const rest = moment > 0 ? text.slice(moment) : text.slice(before.length);
  return cipher.blindIndex(`lab-message/${before}${rest}`);
}

const UNCLAIMED_SEAL_CONTEXT = 'lab_unclaimed_message';

/** Messages without a tenant are encrypted with a key of the deployment. */
export const sealUnclaimed = (keyring: Keyring, bytes: Buffer): { body: Buffer; digest: Buffer } =>
  sealWith(keyring.derive(UNCLAIMED_SEAL_CONTEXT), bytes);

const sealWith = (key: Buffer, bytes: Buffer) => ({
  body: sealBytes(key, bytes, UNCLAIMED_SEAL_CONTEXT),
  digest: createHmac('sha256', key).update(bytes).digest(),
});

export const openUnclaimedBody = (keyring: Keyring, sealed: Buffer): Buffer =>
  openBytes(keyring.derive(UNCLAIMED_SEAL_CONTEXT), sealed, UNCLAIMED_SEAL_CONTEXT);

/** Re-encrypts a body that was sealed with the previous ENCRYPTION_KEY; undefined if that key does not open it. */
export function resealUnclaimedBody(
  keyring: Keyring,
  previousKey: string,
  sealed: Buffer,
): { body: Buffer; digest: Buffer } | undefined {
  try {
    return sealUnclaimed(
      keyring,
      openBytes(deriveKey(previousKey, UNCLAIMED_SEAL_CONTEXT), sealed, UNCLAIMED_SEAL_CONTEXT),
    );
  } catch {
    return undefined;
  }
}
