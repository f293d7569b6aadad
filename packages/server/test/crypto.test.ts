import { createCipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTenant } from '../src/app.ts';
import { openTestService, type TestService } from './service.ts';
import {
  initialDataKeys,
  generationOf,
  openBytes,
  sealBytes,
  tenantCipher,
} from '../src/platform/crypto/cipher.ts';
import { createLocalKeyProvider } from '../src/platform/crypto/local-key-provider.ts';
import { openKeyring } from '../src/platform/crypto/keyring.ts';

const key = randomBytes(32);

describe('a sealed value', () => {
  // prettier-ignore
  it.each([['nothing', ''], ['a word', 'glucose'], ['a long text', 'x'.repeat(20_000)], ['other letters', 'Ünïcødé 😀']])(
    'opens to its original text: %s', (_what, text) => {
      expect(openBytes(key, sealBytes(key, Buffer.from(text), 'here'), 'here').toString()).toBe(text);
    });

  it('does not open in another context, with another key, or with a changed bit', () => {
    const sealed = sealBytes(key, Buffer.from('secret'), 'user_info.document');
    expect(() => openBytes(key, sealed, 'lab_order.private')).toThrow();
    expect(() => openBytes(randomBytes(32), sealed, 'user_info.document')).toThrow();
    for (let index = 1; index < sealed.length; index += 1) {
      const changed = Buffer.from(sealed);
      changed[index] = (changed[index] ?? 0) ^ 1;
      expect(() => openBytes(key, changed, 'user_info.document')).toThrow();
    }
    expect(() => openBytes(key, sealed.subarray(0, 20), 'user_info.document')).toThrow();
  });

  it('has a unique nonce, however many values are sealed', () => {
    const NONCE = { from: 1, to: 13 };
    const nonces = Array.from({ length: 5000 }, () =>
      sealBytes(key, Buffer.from('a'), 'x').subarray(NONCE.from, NONCE.to).toString('hex'),
    );
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  // prettier-ignore
  it.each([
    [1, Buffer.of(1),       'as it is, with the first key'],
    [1, Buffer.of(2),       'deflated, with the first key'],
    [7, Buffer.of(3, 0, 7), 'as it is'],
    [7, Buffer.of(4, 0, 7), 'deflated'],
  ])('of key %i in the format of earlier versions opens and can be resealed: %o, %s', (generation, head, how) => {
    const text = 'Glucose 5.4 mmol/l, '.repeat(300);
    const nonce = randomBytes(12);
    const gcm = createCipheriv('aes-256-gcm', key, nonce);
    gcm.setAAD(Buffer.from('team/sandbox/here'));
    const plain = Buffer.from(text);
    const body = Buffer.concat([gcm.update(how.startsWith('deflated') ? deflateRawSync(plain) : plain), gcm.final()]);
    const sealed = Buffer.concat([head, nonce, gcm.getAuthTag(), body]);
    const { indexKey } = initialDataKeys(key);
    const fresh = randomBytes(32);
    const cipher = tenantCipher({ keys: new Map([[generation, key], [9, fresh]]), current: 9, indexKey }, 'team/sandbox');
    const anew = cipher.reseal(sealed, 'here');
    expect([cipher.open(sealed, 'here'), generationOf(sealed)]).toEqual([text, generation]);
    expect([cipher.open(anew, 'here'), generationOf(anew)]).toEqual([text, 9]);
    const packed = sealBytes(key, plain, 'here');
    expect([generationOf(packed), packed.length < plain.length / 10]).toEqual([1, true]);
  });

  it('is different each time, while its blind index is the same', () => {
    const cipher = tenantCipher(initialDataKeys(key), 'team/sandbox');
    expect(cipher.seal('a', 'x').equals(cipher.seal('a', 'x'))).toBe(false);
    expect(cipher.blindIndex('a').equals(cipher.blindIndex('a'))).toBe(true);
    expect(
      cipher.blindIndex('a').equals(tenantCipher(initialDataKeys(key), 'other/sandbox').blindIndex('a')),
    ).toBe(true);
    expect(
      cipher
        .blindIndex('a')
        .equals(tenantCipher(initialDataKeys(randomBytes(32)), 'team/sandbox').blindIndex('a')),
    ).toBe(false);
  });
});

describe('the keyring', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openTestService();
  });
  afterAll(() => service.close());

  it('changes the master key without rewriting sealed rows', async () => {
    const team = await service.team();
    const sealed = await inTenant(service.app, team.tenant, async ({ cipher }) =>
      cipher.seal('secret', 'place'),
    );
    const old = Buffer.alloc(32, 7).toString('base64');
    const fresh = randomBytes(32).toString('base64');
    const next = openKeyring(service.app.db, fresh);
    await expect(next.check()).rejects.toThrow(/wrapped by another ENCRYPTION_KEY/);
    expect(await next.rewrap(createLocalKeyProvider({ key: old }))).toBeGreaterThan(0);
    await next.check();
    expect((await next.cipherOf(team.tenant)).open(sealed, 'place')).toBe('secret');
    expect(
      await openKeyring(service.app.db, old).rewrap(createLocalKeyProvider({ key: fresh })),
    ).toBeGreaterThan(0);
  });
});
