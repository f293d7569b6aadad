import type { Config } from '../platform/config.ts';
import { loadEncryptionKey } from '../platform/crypto/encryption-key.ts';

const KEY_NEEDED =
  'A backup can be opened only with the ENCRYPTION_KEY that it was made with: set that key. If none was set, it is in ' +
  'encryption.key in the data folder of the service that was backed up.';

/** Throws if a new key would be made: it would open nothing, and a later start would take it for the key of the data. */
export async function requireKey(config: Config): Promise<void> {
  const isLocal = config.KEY_PROVIDER === undefined || config.KEY_PROVIDER === 'file';
  if (isLocal && (await loadEncryptionKey(config)) === undefined) throw new Error(KEY_NEEDED);
}
