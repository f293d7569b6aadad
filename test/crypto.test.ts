import { createCipheriv, randomBytes } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inTenant } from '../src/app.ts';
import { openHouse, type House } from './house.ts';
import {
  firstKeys,
  generationOf,
  openBytes,
  sealBytes,
  tenantCipher,
} from '../src/platform/crypto/cipher.ts';
import { openKeyring } from '../src/platform/crypto/keyring.ts';

const key = randomBytes(32);

describe('a sealed value', () => {
  // prettier-ignore
  it.each([['nothing', ''], ['a word', 'glucose'], ['a long text', 'x'.repeat(20_000)], ['other letters', 'Ünïcødé 😀']])(
    'opens to what it was: %s', (_what, text) => {
      expect(openBytes(key, sealBytes(key, Buffer.from(text), 'here'), 'here').toString()).toBe(text);
    });

  it('does not open elsewhere, with another key, or when a bit was changed', () => {
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

  it('has a nonce of its own, however many are sealed', () => {
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
  ])('of key %i opens as earlier versions sealed it: %o, %s, and is sealed anew', (generation, head, how) => {
    const text = 'Glucose 5.4 mmol/l, '.repeat(300);
    const nonce = randomBytes(12);
    const gcm = createCipheriv('aes-256-gcm', key, nonce);
    gcm.setAAD(Buffer.from('team/sandbox/here'));
    const plain = Buffer.from(text);
    const body = Buffer.concat([gcm.update(how.startsWith('deflated') ? deflateRawSync(plain) : plain), gcm.final()]);
    const sealed = Buffer.concat([head, nonce, gcm.getAuthTag(), body]);
    const { indexKey } = firstKeys(key);
    const fresh = randomBytes(32);
    const cipher = tenantCipher({ keys: new Map([[generation, key], [9, fresh]]), current: 9, indexKey }, 'team/sandbox');
    const anew = cipher.reseal(sealed, 'here');
    expect([cipher.open(sealed, 'here'), generationOf(sealed)]).toEqual([text, generation]);
    expect([cipher.open(anew, 'here'), generationOf(anew)]).toEqual([text, 9]);
    const packed = sealBytes(key, plain, 'here');
    expect([generationOf(packed), packed.length < plain.length / 10]).toEqual([1, true]);
  });

  it('looks different each time, while its blind index does not', () => {
    const cipher = tenantCipher(firstKeys(key), 'team/sandbox');
    expect(cipher.seal('a', 'x').equals(cipher.seal('a', 'x'))).toBe(false);
    expect(cipher.blindIndex('a').equals(cipher.blindIndex('a'))).toBe(true);
    expect(cipher.blindIndex('a').equals(tenantCipher(firstKeys(key), 'other/sandbox').blindIndex('a'))).toBe(
      true,
    );
    expect(
      cipher.blindIndex('a').equals(tenantCipher(firstKeys(randomBytes(32)), 'team/sandbox').blindIndex('a')),
    ).toBe(false);
  });
});

describe('the keyring', () => {
  let house: House;
  beforeAll(async () => {
    house = await openHouse();
  });
  afterAll(() => house.close());

  it('changes the master key without touching a sealed row', async () => {
    const team = await house.team();
    const sealed = await inTenant(house.app, team.tenant, async ({ cipher }) =>
      cipher.seal('secret', 'place'),
    );
    const old = Buffer.alloc(32, 7).toString('base64');
    const fresh = randomBytes(32).toString('base64');
    const next = openKeyring(house.app.db, fresh);
    await expect(next.check()).rejects.toThrow(/wrapped by another ENCRYPTION_KEY/);
    expect(await next.rewrap(old)).toBeGreaterThan(0);
    await next.check();
    expect((await next.of(team.tenant)).open(sealed, 'place')).toBe('secret');
    expect(await openKeyring(house.app.db, old).rewrap(fresh)).toBeGreaterThan(0);
  });
});
