import { readFile } from 'node:fs/promises';
import type { Config } from '../../platform/config.ts';
import { loadOrCreateEncryptionKey, encryptionKeyPath } from '../../platform/crypto/encryption-key.ts';
import type { KeyProvider } from '../../platform/crypto/key-provider.ts';
import { parseKeyProviderSetting } from '../../platform/crypto/key-provider-setting.ts';
import { createLocalKeyProvider } from '../../platform/crypto/local-key-provider.ts';
import { openAwsKms } from './aws-kms.ts';
import { openVaultTransit } from './vault-transit.ts';

interface ChosenKeyProviders {
  readonly provider: KeyProvider;
  readonly additional: readonly KeyProvider[];
}

/** Opens the configured providers; throws if one cannot be reached or refuses its key. */
export async function openKeyProviders(config: Config): Promise<ChosenKeyProviders> {
  const { KEY_PROVIDER, ADDITIONAL_KEY_PROVIDER, ENCRYPTION_KEY, PREVIOUS_ENCRYPTION_KEY } = config;
  const standard = ENCRYPTION_KEY === undefined ? 'file' : 'environment';
  const provider = await openOne(config, { text: KEY_PROVIDER ?? standard, key: ENCRYPTION_KEY });
  if (ADDITIONAL_KEY_PROVIDER === undefined) return { provider, additional: [] };
  const key = PREVIOUS_ENCRYPTION_KEY ?? ENCRYPTION_KEY;
  return { provider, additional: [await openOne(config, { text: ADDITIONAL_KEY_PROVIDER, key })] };
}

interface NamedProvider {
  readonly text: string;
  /** The key of `environment`. */
  readonly key: string | undefined;
}

async function openOne(config: Config, { text, key }: NamedProvider): Promise<KeyProvider> {
  const setting = parseKeyProviderSetting(text);
  if (typeof setting === 'string') throw new Error(`${text}: ${setting}`);
  if (setting.kind === 'aws-kms') return openAwsKms(setting);
  if (setting.kind === 'vault-transit') return openVaultTransit(setting);
  if (setting.kind === 'environment') {
    if (key === undefined) throw new Error('ENCRYPTION_KEY: expected, because a key provider is environment');
    return createLocalKeyProvider({ key });
  }
  if (setting.path === undefined) {
    const made = await loadOrCreateEncryptionKey({ ...config, ENCRYPTION_KEY: undefined });
    return createLocalKeyProvider({ key: made, name: 'file', location: encryptionKeyPath(config) });
  }
  return createLocalKeyProvider({
    key: await readKeyFile(setting.path),
    name: 'file',
    location: setting.path,
  });
}

const KEY = /^[A-Za-z0-9+/_-]{43}=?$/;

async function readKeyFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`Cannot read the key file ${path} (${error.code}): expected 32 bytes in base64`);
  });
  if (!KEY.test(text.trim()))
    throw new Error(`The key file ${path} is not valid: expected 32 bytes in base64`);
  return text.trim();
}
