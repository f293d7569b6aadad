import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { KMS_CREDENTIALS, openKmsStandIn, type KmsStandIn } from './kms.ts';
import type { TestTeam } from './service.ts';
import { useTestService } from './service-hooks.ts';
import { inTenant } from '../src/app.ts';
import { buildHttp, openKeyProviders } from '../src/compose.ts';
import { createTeam } from '../src/identity/management/management.ts';
import { readConfig } from '../src/platform/config.ts';
import { DomainError } from '../src/platform/errors.ts';
import { openDeploymentKey } from '../src/platform/crypto/deployment-key.ts';
import type { KeyProvider } from '../src/platform/crypto/key-provider.ts';
import { KEY_CACHE_TTL_MS, openProviderKeyring, type Keyring } from '../src/platform/crypto/keyring.ts';
import { createLocalKeyProvider } from '../src/platform/crypto/local-key-provider.ts';
import { ENVIRONMENTS } from '../src/platform/tenant.ts';

const service = useTestService();
/** The key of every test service. */
const local = createLocalKeyProvider({ key: Buffer.alloc(32, 7).toString('base64') });
let kms: KmsStandIn;
let provider: KeyProvider;
let setting: string;
let now = 0;

beforeAll(async () => {
  for (const [name, value] of Object.entries(KMS_CREDENTIALS)) vi.stubEnv(name, value);
  kms = await openKmsStandIn();
  setting = `aws-kms:${kms.createKey()}?endpoint=${encodeURIComponent(kms.url)}`;
  ({ provider } = await openKeyProviders(readConfig({ KEY_PROVIDER: setting })));
});
afterEach(async () => {
  kms.failWith(undefined);
  await moveBack();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await kms.close();
});

const LIFETIME_MS = 3_600_000;
const OUTAGE = { status: 500, type: 'KMSInternalException' };

const openWith = (current: KeyProvider, additional: readonly KeyProvider[] = [], keysMax = 100): Keyring =>
  openProviderKeyring(service.app.db, {
    provider: current,
    additional,
    deploymentKey: local.masterKey ?? Buffer.alloc(0),
    keysMax,
    lifetimeMs: LIFETIME_MS,
    now: () => now,
  });

/** The other tests of this file, and the service, have the local key. */
async function moveBack(): Promise<void> {
  await openWith(local, [provider]).rewrap();
  await service.ownerPool.query('delete from deployment_key');
}

const decrypts = () => kms.calls.filter(({ operation }) => operation === 'Decrypt').length;

/** A team whose data keys KMS has wrapped, and a value that they sealed. */
async function teamInKms(): Promise<TestTeam & { sealed: Buffer }> {
  const team = await service.team();
  const sealed = await inTenant(service.app, team.tenant, async ({ cipher }) =>
    cipher.seal('secret', 'place'),
  );
  await openWith(provider, [local]).rewrap();
  return { ...team, sealed };
}

const openSealed = async (
  keyring: Keyring,
  { tenant, sealed }: Pick<TestTeam, 'tenant'> & { sealed: Buffer },
) => (await keyring.cipherOf(tenant)).open(sealed, 'place');

describe('data keys in memory', () => {
  it('are unwrapped once, and renewed in the background while they are used', async () => {
    const team = await teamInKms();
    const keyring = openWith(provider);
    const before = decrypts();
    await Promise.all([openSealed(keyring, team), openSealed(keyring, team)]);
    expect(decrypts()).toBe(before + 1);
    for (let n = 0; n < 5; n += 1) {
      now += KEY_CACHE_TTL_MS;
      expect(await openSealed(keyring, team)).toBe('secret');
    }
    expect(decrypts()).toBe(before + 1);
    now += LIFETIME_MS / 2;
    await openSealed(keyring, team);
    await vi.waitUntil(() => decrypts() === before + 2);
    // It lives as long again from there.
    kms.failWith(OUTAGE);
    now += LIFETIME_MS * 0.9;
    expect(await openSealed(keyring, team)).toBe('secret');
  });

  it('work through an outage until their lifetime ends; all others are a 503', async () => {
    const [known, unknown] = [await teamInKms(), await teamInKms()];
    const keyring = openWith(provider);
    await openSealed(keyring, known);
    kms.failWith(OUTAGE);
    now += LIFETIME_MS * 0.9;
    expect(await openSealed(keyring, known)).toBe('secret');

    const app = { ...service.app, keyring };
    const http = buildHttp(app);
    await http.server.ready();
    const probe = async () => (await http.server.inject('/readyz')).json();
    const read = () => http.server.inject({ url: '/v2/user', headers: { 'x-service-api-key': unknown.key } });
    const refused = await read();
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
    expect(refused.json()).toEqual({
      detail:
        'The data key of the team cannot be opened at the moment, because the key provider aws-kms does not answer; try again',
    });
    expect(await probe()).toEqual({
      status: 'degraded',
      detail: 'The key provider aws-kms does not answer: teams whose data keys are not in memory get a 503',
    });
    now += LIFETIME_MS;
    await expect(openSealed(keyring, known)).rejects.toThrow(DomainError);

    kms.failWith(undefined);
    now += KEY_CACHE_TTL_MS;
    expect((await read()).statusCode).toBe(200);
    expect(await probe()).toEqual({ status: 'ok' });
    await http.server.close();
  });

  it('do not make callers wait for a provider that has just failed', async () => {
    const team = await teamInKms();
    const keyring = openWith(provider);
    kms.failWith(OUTAGE);
    const failures = await Promise.allSettled(Array.from({ length: 20 }, () => openSealed(keyring, team)));
    expect(failures.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'rejected'));
    kms.failWith(undefined);
    await expect(openSealed(keyring, team)).rejects.toThrow('does not answer');
    now += 1_000;
    expect(await openSealed(keyring, team)).toBe('secret');
  });

  it('are bounded in number', async () => {
    const [one, other] = [await teamInKms(), await teamInKms()];
    const keyring = openWith(provider, [], 1);
    const before = decrypts();
    for (const team of [one, other, one]) await openSealed(keyring, team);
    expect(decrypts()).toBe(before + 3);
  });
});

describe('a start', () => {
  it('is refused with a key that the database was not made with', async () => {
    await service.team();
    await expect(openWith(provider).check()).rejects.toThrow(
      /wrapped by another ENCRYPTION_KEY or key provider: [0-9a-f]{16}; aws-kms has arn:aws:kms:/,
    );
    await expect(openDeploymentKey(service.app.db, provider, [])).rejects.toThrow(
      /This database was made with the key [0-9a-f]{16}, which is not that of aws-kms .*ADDITIONAL_KEY_PROVIDER/,
    );
  });

  it('is refused with a key that has the right name, but is another one', async () => {
    const team = await service.team();
    const impostor = { ...createLocalKeyProvider({ key: randomBytes(32).toString('base64') }) };
    const named = { ...impostor, fingerprint: local.fingerprint };
    await expect(openWith(named).check()).rejects.toThrow(/does not open its data keys: it is another key/);
    expect(team.key).not.toBe('');
  });

  it('is refused while the provider does not answer', async () => {
    kms.failWith(OUTAGE);
    await expect(openKeyProviders(readConfig({ KEY_PROVIDER: setting }))).rejects.toThrow(
      /AWS KMS, key arn:aws:kms:.*: KMSInternalException/,
    );
  });
});

describe('a move from one provider to another', () => {
  it('does not disturb processes that know both, and keeps what is derived', async () => {
    const team = await service.team();
    const sealed = await inTenant(service.app, team.tenant, async ({ cipher }) =>
      cipher.seal('secret', 'place'),
    );
    const both = { ...team, sealed };
    const old = openWith(local, [provider]);
    await openSealed(old, both);

    const key = await openDeploymentKey(service.app.db, provider, [local]);
    expect(key.equals(local.masterKey ?? Buffer.alloc(0))).toBe(true);
    const next = openWith(provider, [local]);
    await next.check();
    expect(await next.rewrap()).toBeGreaterThan(0);
    expect(await next.rewrap()).toBe(0);
    now += KEY_CACHE_TTL_MS;
    for (const keyring of [old, next, openWith(provider)])
      expect(await openSealed(keyring, both)).toBe('secret');
    // Without the old provider.
    await openWith(provider).check();
    expect((await openDeploymentKey(service.app.db, provider, [])).equals(key)).toBe(true);
    await expect(openDeploymentKey(service.app.db, local, [])).rejects.toThrow(
      /wrapped by another key, arn:aws:kms.*ADDITIONAL_KEY_PROVIDER/,
    );
    await openWith(local, [provider]).rewrap();
    expect((await openDeploymentKey(service.app.db, local, [])).equals(key)).toBe(true);
  });

  it('is continued after an interruption', async () => {
    for (let n = 0; n < 3; n += 1) await service.team();
    let calls = 0;
    const failing = {
      ...provider,
      wrap: (...input: Parameters<KeyProvider['wrap']>) =>
        (calls += 1) > 3 ? Promise.reject(new Error('killed')) : provider.wrap(...input),
    };
    await expect(openWith(failing, [local]).rewrap()).rejects.toThrow('killed');
    const left = async () =>
      (await service.ownerPool.query("select from tenant_key where wrapped_by not like 'arn:%'")).rowCount;
    const all = (await service.ownerPool.query('select from tenant_key')).rowCount ?? 0;
    expect(await left()).toBe(all - 3);
    expect(await openWith(provider, [local]).rewrap()).toBe(all - 3);
    expect(await left()).toBe(0);
  });

  it('creates the key of a deployment once, however many processes start', async () => {
    const fresh = await Promise.all(
      Array.from({ length: 4 }, () => openDeploymentKey(service.app.db, provider, [local])),
    );
    expect(new Set(fresh.map((key) => key.toString('hex'))).size).toBe(1);
    expect((await service.ownerPool.query('select from deployment_key')).rowCount).toBe(1);
  });
});

describe('a new team', () => {
  it('waits for the provider without holding its organization', async () => {
    const team = await service.team();
    let wrap = () => {};
    const wrapping = new Promise<void>((resolve) => (wrap = resolve));
    let asked = 0;
    const slow: KeyProvider = {
      ...local,
      wrap: async (key, context) => {
        asked += 1;
        await wrapping;
        return local.wrap(key, context);
      },
    };
    const app = { ...service.app, keyring: openWith(slow) };
    const making = createTeam(app, { orgId: team.orgId, name: 'Slow', region: 'us' });
    await vi.waitUntil(() => asked === 2);
    // Would wait for the lock of the organization.
    await createTeam(service.app, { orgId: team.orgId, name: 'Fast', region: 'us' });
    wrap();
    const { id } = await making;
    for (const environment of ENVIRONMENTS) {
      const cipher = await openWith(local).cipherOf({ teamId: id, environment });
      expect(cipher.open(cipher.seal('secret', 'place'), 'place')).toBe('secret');
    }
  });

  it('is not created if the provider fails', async () => {
    const team = await service.team();
    kms.failWith(OUTAGE);
    const app = { ...service.app, keyring: openWith(provider) };
    const making = createTeam(app, { orgId: team.orgId, name: 'None', region: 'us' });
    await expect(making).rejects.toMatchObject({ kind: 'unavailable' });
    const { rows } = await service.ownerPool.query('select from team where org_id = $1', [team.orgId]);
    expect(rows).toHaveLength(1);
  });
});
