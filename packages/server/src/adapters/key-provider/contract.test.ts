import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createCertificateAuthority } from '../../../test/certificates.ts';
import { openKmsStandIn, KMS_CREDENTIALS, type KmsStandIn } from '../../../test/kms.ts';
import { openVaultStandIn, type VaultStandIn } from '../../../test/vault.ts';
import { readConfig } from '../../platform/config.ts';
import {
  KeyProviderError,
  type KeyProvider,
  type WrappingContext,
} from '../../platform/crypto/key-provider.ts';
import { parseKeyProviderSetting } from '../../platform/crypto/key-provider-setting.ts';
import { openKeyProviders } from './choose.ts';
import { openVaultTransit } from './vault-transit.ts';

let folder: string;
let kms: KmsStandIn;
let vault: VaultStandIn;
let arn: string;
const providers: Record<string, KeyProvider> = {};
const masterKey = randomBytes(32).toString('base64');

const open = async (settings: Record<string, string>): Promise<KeyProvider> =>
  (await openKeyProviders(readConfig({ DATA_DIR: folder, ...settings }))).provider;
const kmsSetting = (key: string) => `aws-kms:${key}?endpoint=${encodeURIComponent(kms.url)}`;
const vaultSetting = (options: string, key = 'aliquot') =>
  `vault-transit:${vault.url}/transit/${key}?${options}`;
const tokenFile = () => `token_file=${encodeURIComponent(join(folder, 'token'))}`;

beforeAll(async () => {
  for (const [name, value] of Object.entries(KMS_CREDENTIALS)) vi.stubEnv(name, value);
  folder = await mkdtemp(join(tmpdir(), 'aliquot-keys-'));
  kms = await openKmsStandIn();
  arn = kms.createKey('alias/aliquot');
  vault = await openVaultStandIn();
  vault.createKey('aliquot');
  await writeFile(join(folder, 'token'), 'root\n');
  await writeFile(join(folder, 'master.key'), `${masterKey}\n`);
  providers['environment'] = await open({ ENCRYPTION_KEY: masterKey });
  providers['file'] = await open({ KEY_PROVIDER: `file:${join(folder, 'master.key')}` });
  providers['aws-kms'] = await open({ KEY_PROVIDER: kmsSetting(arn) });
  providers['vault-transit'] = await open({ KEY_PROVIDER: vaultSetting(tokenFile()) });
});
afterEach(() => {
  kms.failWith(undefined);
  vault.isSealed = false;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await kms.close();
  await vault.close();
  await rm(folder, { recursive: true });
});

const tenant = { team_id: randomUUID(), environment: 'sandbox', generation: 1 };
const context: WrappingContext = { purpose: 'data-key', tenant };
const reasonOf = (failing: Promise<unknown>): Promise<string> =>
  failing.then(
    () => 'none',
    (error: unknown) => (error instanceof KeyProviderError ? error.reason : String(error)),
  );

describe.each(['environment', 'file', 'aws-kms', 'vault-transit'])('a key provider: %s', (name) => {
  const provider = () => {
    const one = providers[name];
    if (!one) throw new Error(`No provider ${name}`);
    return one;
  };

  it('unwraps what it wrapped, and nothing of it can be read before', async () => {
    const key = randomBytes(32);
    const wrapped = await provider().wrap(key, context);
    expect(wrapped.includes(key)).toBe(false);
    expect(wrapped.includes(key.toString('base64'))).toBe(false);
    expect((await provider().unwrap(wrapped, context)).equals(key)).toBe(true);
    expect((await provider().wrap(key, context)).equals(wrapped)).toBe(false);
    expect(provider().name).toBe(name);
    await provider().check();
  });

  it.each<[string, WrappingContext]>([
    ['another tenant', { purpose: 'data-key', tenant: { ...tenant, team_id: randomUUID() } }],
    ['another environment', { purpose: 'data-key', tenant: { ...tenant, environment: 'production' } }],
    ['another generation', { purpose: 'data-key', tenant: { ...tenant, generation: 2 } }],
    ['another purpose', { purpose: 'index-key', tenant }],
    ['no tenant', { purpose: 'backup' }],
  ])('does not unwrap a key in the place of %s', async (_what, other) => {
    const wrapped = await provider().wrap(randomBytes(32), context);
    expect(await reasonOf(provider().unwrap(wrapped, other))).toBe('wrong_key');
  });

  it('does not unwrap a changed or truncated key', async () => {
    const wrapped = await provider().wrap(randomBytes(32), context);
    const changed = Buffer.from(wrapped);
    changed[changed.length - 5] = changed[changed.length - 5] === 65 ? 66 : 65;
    for (const broken of [changed, wrapped.subarray(0, 20)])
      expect(await reasonOf(provider().unwrap(broken, context))).toBe('wrong_key');
  });
});

describe.each(['aws-kms', 'vault-transit'])('the errors of a key provider: %s', (name) => {
  const failures: [string, () => void][] = [
    [
      'an outage',
      () => {
        kms.failWith({ type: 'KMSInternalException', status: 500 });
        vault.isSealed = true;
      },
    ],
    [
      'a refusal',
      () => {
        kms.failWith({ type: 'AccessDeniedException', status: 400 });
        vault.tokens.delete('root');
      },
    ],
  ];
  afterEach(() => void vault.tokens.add('root'));

  it.each(failures)(
    'contain no key and no credential, whatever is logged of them: %s',
    async (_what, fail) => {
      const [key, provider] = [randomBytes(32), providers[name]];
      if (!provider) throw new Error(`No provider ${name}`);
      const wrapped = await provider.wrap(key, context);
      fail();
      for (const run of [() => provider.wrap(key, context), () => provider.unwrap(wrapped, context)]) {
        const error = await run().then(
          () => undefined,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(KeyProviderError);
        const logged = inspect(error, { depth: Infinity, showHidden: true, maxArrayLength: null });
        const secrets = {
          key: key.toString('base64'),
          hex: key.toString('hex'),
          bytes: [...key].join(', '),
          spaced: (key.toString('hex').match(/../g) ?? []).join(' '),
          credential: KMS_CREDENTIALS.AWS_SECRET_ACCESS_KEY,
          token: "'root'",
        };
        expect(Object.entries(secrets).filter(([, secret]) => logged.includes(secret))).toEqual([]);
      }
    },
  );
});

it('has the same fingerprint for the same key, wherever it is', async () => {
  expect(providers['file']?.fingerprint).toBe(providers['environment']?.fingerprint);
  expect(providers['aws-kms']?.fingerprint).toBe(arn);
  expect(providers['vault-transit']?.fingerprint).toBe('vault-transit:transit/aliquot');
});

describe('a key file', () => {
  it.each([
    ['absent.key', /Cannot read the key file .*absent\.key \(ENOENT\)/],
    ['token', /The key file .*token is not valid: expected 32 bytes in base64/],
  ])('is refused, and never created: %s', async (file, message) => {
    await expect(open({ KEY_PROVIDER: `file:${join(folder, file)}` })).rejects.toThrow(message);
  });
});

describe('AWS KMS', () => {
  it('finds the key behind an alias, and sends the tenant as encryption context', async () => {
    const aliased = await open({ KEY_PROVIDER: `${kmsSetting('alias/aliquot')}&region=eu-central-1` });
    expect(aliased.fingerprint).toBe(arn);
    await aliased.wrap(randomBytes(32), context);
    expect(kms.calls.at(-1)).toEqual({
      operation: 'Encrypt',
      keyId: arn,
      context: {
        'aliquot:purpose': 'data-key',
        'aliquot:team': tenant.team_id,
        'aliquot:environment': 'sandbox',
        'aliquot:generation': '1',
      },
    });
  });

  it('does not unwrap what another key wrapped', async () => {
    const other = await open({ KEY_PROVIDER: kmsSetting(kms.createKey()) });
    const wrapped = await other.wrap(randomBytes(32), context);
    expect(await reasonOf(providers['aws-kms']?.unwrap(wrapped, context) ?? Promise.resolve())).toBe(
      'wrong_key',
    );
  });

  it.each([
    ['AccessDeniedException', 400, 'refused'],
    ['KMSInvalidStateException', 400, 'refused'],
    ['DisabledException', 400, 'refused'],
    ['NotFoundException', 400, 'refused'],
    ['ThrottlingException', 400, 'unavailable'],
    ['KMSInternalException', 500, 'unavailable'],
    ['DependencyTimeoutException', 503, 'unavailable'],
    ['KeyUnavailableException', 500, 'unavailable'],
  ])('tells a refusal from an outage: %s', async (type, status, reason) => {
    kms.failWith({ type, status });
    const wrapping = providers['aws-kms']?.wrap(randomBytes(32), context) ?? Promise.resolve();
    expect(await reasonOf(wrapping)).toBe(reason);
    await expect(wrapping).rejects.toThrow(`AWS KMS, key ${arn}: ${type}`);
  });

  it('is refused at the start with wrong credentials', async () => {
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another');
    try {
      await expect(open({ KEY_PROVIDER: kmsSetting(arn) })).rejects.toThrow('InvalidSignatureException');
    } finally {
      vi.stubEnv('AWS_SECRET_ACCESS_KEY', KMS_CREDENTIALS.AWS_SECRET_ACCESS_KEY);
    }
  });
});

describe('Vault Transit', () => {
  const appRole = async () => {
    await writeFile(join(folder, 'secret-id'), vault.secretId);
    return `role_id=${vault.roleId}&secret_id_file=${encodeURIComponent(join(folder, 'secret-id'))}&namespace=labs`;
  };

  it('wraps again with the newest version of its key', async () => {
    vault.createKey('rotated');
    const provider = await open({ KEY_PROVIDER: vaultSetting(tokenFile(), 'rotated') });
    const key = randomBytes(32);
    const wrapped = await provider.wrap(key, context);
    expect(await provider.rewrap?.(wrapped)).toBeUndefined();
    vault.rotateKey('rotated');
    const fresh = await provider.rewrap?.(wrapped);
    expect(fresh?.toString()).toMatch(/^vault:v2:/);
    for (const one of [wrapped, fresh ?? Buffer.alloc(0)])
      expect((await provider.unwrap(one, context)).equals(key)).toBe(true);
  });

  it('logs in by AppRole in a namespace, and again before its lease ends', async () => {
    let now = 0;
    const setting = parseKeyProviderSetting(vaultSetting(await appRole()));
    if (typeof setting === 'string' || setting.kind !== 'vault-transit') throw new Error(String(setting));
    const provider = await openVaultTransit(setting, () => now);
    expect(provider.fingerprint).toBe('vault-transit:labs/transit/aliquot');
    const logins = () => vault.requests.filter((path) => path === 'labs:auth/approle/login').length;
    const before = logins();
    now = 3_600_000 * 0.69;
    await provider.check();
    expect(logins()).toBe(before);
    now = 3_600_000 * 0.71;
    await provider.check();
    expect(logins()).toBe(before + 1);
  });

  it('logs in again when its token was revoked, and reads a token file again when it was replaced', async () => {
    const byRole = await open({ KEY_PROVIDER: vaultSetting(await appRole()) });
    const byFile = await open({ KEY_PROVIDER: vaultSetting(tokenFile()) });
    vault.tokens.clear();
    await byRole.check();
    await expect(byFile.check()).rejects.toThrow('403: permission denied');
    vault.tokens.add('replaced').add('root');
    await writeFile(join(folder, 'token'), 'replaced');
    await byFile.check();
    await writeFile(join(folder, 'token'), 'root');
  });

  it('tells a refusal from an outage', async () => {
    const provider = await open({ KEY_PROVIDER: vaultSetting(tokenFile()) });
    vault.isSealed = true;
    expect(await reasonOf(provider.check())).toBe('unavailable');
    await expect(provider.check()).rejects.toThrow('503: Vault is sealed');
    vault.isSealed = false;
    vault.tokens.delete('root');
    expect(await reasonOf(provider.check())).toBe('refused');
    vault.tokens.add('root');
    const stopped = await openVaultStandIn();
    await stopped.close();
    const gone = open({ KEY_PROVIDER: `vault-transit:${stopped.url}/transit/aliquot?${tokenFile()}` });
    await expect(gone).rejects.toThrow(/Vault at .* cannot be reached: ECONNREFUSED/);
  });

  it('is trusted by the certificate authority of ca_file only', async () => {
    const authority = createCertificateAuthority('Vault authority');
    const secure = await openVaultStandIn(authority.issue('localhost'));
    try {
      secure.createKey('aliquot');
      await writeFile(join(folder, 'ca.pem'), authority.cert);
      const setting = `vault-transit:${secure.url}/transit/aliquot?${tokenFile()}`;
      await expect(open({ KEY_PROVIDER: setting })).rejects.toThrow('cannot be reached');
      const ca = encodeURIComponent(join(folder, 'ca.pem'));
      await (await open({ KEY_PROVIDER: `${setting}&ca_file=${ca}` })).check();
    } finally {
      await secure.close();
    }
  });

  it('is refused with a key that does not exist or does not authenticate', async () => {
    await expect(open({ KEY_PROVIDER: vaultSetting(tokenFile(), 'absent') })).rejects.toThrow('404');
    vault.createKey('rsa', 'rsa-4096');
    await expect(open({ KEY_PROVIDER: vaultSetting(tokenFile(), 'rsa') })).rejects.toThrow(
      'is of type rsa-4096: expected aes128-gcm96',
    );
  });
});

describe('KEY_PROVIDER', () => {
  it.each([
    ['vault', /expected environment, file/],
    ['aws-kms:', /expected environment, file/],
    ['aws-kms:?', /the ARN, the id or the alias/],
    ['aws-kms:alias/a?regio=x', /unknown option regio: expected region, endpoint/],
    ['vault-transit:https://v/transit', /MOUNT\/KEY/],
    ['vault-transit:https://v/transit/a', /token_file=PATH, or role_id/],
    ['vault-transit:https://v/transit/a?role_id=1', /token_file=PATH, or role_id/],
    ['vault-transit:https://me:pw@v/transit/a?token_file=t', /no credentials/],
    ['environment', /ENCRYPTION_KEY: expected, because KEY_PROVIDER is environment/],
  ])('is refused with what was expected: %s', (text, message) => {
    expect(() => readConfig({ KEY_PROVIDER: text })).toThrow(message);
  });
});
