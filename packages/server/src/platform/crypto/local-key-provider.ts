import { createHash, randomBytes } from 'node:crypto';
import { openBytes, sealBytes } from './cipher.ts';
import { KeyProviderError, toAssociatedText, type KeyProvider } from './key-provider.ts';

interface LocalKey {
  /** 32 bytes in base64. */
  readonly key: string;
  readonly name?: 'environment' | 'file';
  readonly location?: string;
}

/** Wraps with a master key that is in the memory of this process: ENCRYPTION_KEY, or the content of a file. */
export function createLocalKeyProvider({
  key,
  name = 'environment',
  location = 'ENCRYPTION_KEY',
}: LocalKey): KeyProvider {
  const masterKey = Buffer.from(key, 'base64');
  const provider: KeyProvider = {
    name,
    location,
    fingerprint: createHash('sha256').update(masterKey).digest('hex').slice(0, 16),
    masterKey,
    wrap: async (plain, context) => sealBytes(masterKey, plain, toAssociatedText(context)),
    unwrap: async (wrapped, context) => {
      try {
        return openBytes(masterKey, wrapped, toAssociatedText(context));
      } catch {
        throw new KeyProviderError(
          name,
          'wrong_key',
          `The key in ${location} does not open this wrapped key`,
        );
      }
    },
    check: async () => {
      const context = { purpose: 'check' } as const;
      await provider.unwrap(await provider.wrap(randomBytes(32), context), context);
    },
  };
  return provider;
}
