import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import {
  KeyProviderError,
  toAssociatedText,
  type KeyProvider,
  type WrappingContext,
} from '../../platform/crypto/key-provider.ts';
import type { VaultTransitSetting } from '../../platform/crypto/key-provider-setting.ts';
import { openVaultSession } from './vault-session.ts';

const KeyInfo = z.object({
  data: z.object({
    type: z.string(),
    derived: z.boolean().default(false),
    supports_encryption: z.boolean().default(true),
  }),
});
const Encrypted = z.object({ data: z.object({ ciphertext: z.string().regex(/^vault:v\d+:/) }) });
const Decrypted = z.object({ data: z.object({ plaintext: z.string() }) });

/** Authenticated encryption only: a changed ciphertext must not decrypt to something else. */
const KEY_TYPES = ['aes128-gcm96', 'aes256-gcm96', 'chacha20-poly1305', 'xchacha20-poly1305'];
const CHECK = { purpose: 'check' } as const;

/**
 * A key of the Transit secrets engine of HashiCorp Vault. What is encrypted is a digest of the context followed by the
 * key: `rewrap` takes no associated data, and a ciphertext in another place must not unwrap there.
 */
export async function openVaultTransit(
  setting: VaultTransitSetting,
  now: () => number = () => performance.now(),
): Promise<KeyProvider> {
  const { origin, namespace, mount, key } = setting;
  const session = await openVaultSession(setting, now);
  const fingerprint = `vault-transit:${namespace === undefined ? '' : `${namespace}/`}${mount}/${key}`;
  requireUsableKey(setting, KeyInfo.parse(await session.call('GET', `${mount}/keys/${key}`)).data);

  const wrap = async (plain: Buffer, context: WrappingContext): Promise<Buffer> => {
    const plaintext = Buffer.concat([digestOf(context), plain]).toString('base64');
    const answer = Encrypted.parse(await session.call('POST', `${mount}/encrypt/${key}`, { plaintext }));
    return Buffer.from(answer.data.ciphertext);
  };
  const unwrap = async (wrapped: Buffer, context: WrappingContext): Promise<Buffer> => {
    const body = { ciphertext: wrapped.toString() };
    const answer = Decrypted.parse(await session.call('POST', `${mount}/decrypt/${key}`, body));
    return removeDigest(Buffer.from(answer.data.plaintext, 'base64'), context);
  };
  const check = async () => void (await unwrap(await wrap(randomBytes(32), CHECK), CHECK));
  await check();
  return {
    name: 'vault-transit',
    fingerprint,
    location: `${origin}/v1/${mount}/keys/${key}`,
    wrap,
    unwrap,
    rewrap: async (wrapped) => {
      const ciphertext = wrapped.toString();
      const answer = Encrypted.parse(await session.call('POST', `${mount}/rewrap/${key}`, { ciphertext }));
      const fresh = answer.data.ciphertext;
      return versionOf(fresh) === versionOf(ciphertext) ? undefined : Buffer.from(fresh);
    },
    check,
  };
}

const versionOf = (ciphertext: string): string => ciphertext.split(':', 2).join(':');

const digestOf = (context: WrappingContext): Buffer =>
  createHash('sha256').update(toAssociatedText(context)).digest();

function removeDigest(opened: Buffer, context: WrappingContext): Buffer {
  const digest = digestOf(context);
  const isOurs = opened.length > digest.length && timingSafeEqual(opened.subarray(0, digest.length), digest);
  if (!isOurs)
    throw new KeyProviderError(
      'vault-transit',
      'wrong_key',
      'A key that Vault unwrapped was wrapped for another place',
    );
  return opened.subarray(digest.length);
}

function requireUsableKey(
  { mount, key }: VaultTransitSetting,
  { type, derived, supports_encryption }: z.output<typeof KeyInfo>['data'],
): void {
  if (KEY_TYPES.includes(type) && !derived && supports_encryption) return;
  throw new KeyProviderError(
    'vault-transit',
    'refused',
    `The Vault key ${mount}/${key} is of type ${type}${derived ? ', derived' : ''}: expected ${KEY_TYPES.join(', ')}, not derived`,
  );
}
