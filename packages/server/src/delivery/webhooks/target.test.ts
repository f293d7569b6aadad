import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../platform/config.ts';
import { validateTarget } from './target.ts';

const guarded = readConfig({ ALLOW_PRIVATE_WEBHOOK_TARGETS: 'false' });
const refusal = (url: string) =>
  validateTarget({ config: guarded, environment: 'sandbox' }, url).then(
    () => 'taken',
    (error: unknown) => String(error),
  );

type Octets = readonly [number, number, number, number];
const octet = fc.integer({ min: 0, max: 255 });
/** Addresses of cloud metadata services. */
const metadata: Octets[] = [
  [169, 254, 169, 254],
  [100, 100, 100, 200],
  [168, 63, 129, 16],
  [192, 0, 0, 192],
];
const privateOctets: fc.Arbitrary<Octets> = fc.oneof(
  fc.constantFrom(...metadata),
  fc.tuple(fc.constant(0), octet, octet, octet),
  fc.tuple(fc.constant(198), fc.constantFrom(18, 19), octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
  fc.tuple(fc.constant(127), octet, octet, octet),
  fc.tuple(fc.constant(10), octet, octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
);
const whole = ([a, b, c, d]: Octets) => a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d;
const hex = (left: number, right: number) => (left * 256 + right).toString(16);

/** The ways to write an IPv4 address into the host of a URL. */
const spellings: readonly ((octets: Octets) => string)[] = [
  (octets) => octets.join('.'),
  (octets) => `${octets.join('.')}.`,
  (octets) => String(whole(octets)),
  (octets) => `0x${whole(octets).toString(16)}`,
  (octets) => `0${whole(octets).toString(8)}`,
  (octets) => octets.map((each) => `0x${each.toString(16)}`).join('.'),
  (octets) => octets.map((each) => `0${each.toString(8)}`).join('.'),
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  ([a, b, c, d]) => `${a}.${b * 65536 + c * 256 + d}`,
  (octets) => octets.map((each) => `%3${String(each)[0]}${String(each).slice(1)}`).join('%2e'),
  (octets) => `[::ffff:${octets.join('.')}]`,
  ([a, b, c, d]) => `[::ffff:${hex(a, b)}:${hex(c, d)}]`,
  (octets) => `[::${octets.join('.')}]`,
  (octets) => `[64:ff9b::${octets.join('.')}]`,
  ([a, b, c, d]) => `[2002:${hex(a, b)}:${hex(c, d)}::1]`,
  (octets) => `[64:ff9b:1::${octets.join('.')}]`,
  ([a, b, c, d]) => `[2001:0:${hex(8, 8)}:${hex(8, 8)}::${hex(255 - a, 255 - b)}:${hex(255 - c, 255 - d)}]`,
  (octets) => `[::FFFF:${octets.join('.')}]`,
  (octets) => `[::ffff:0:${octets.join('.')}]`,
  (octets) => `[::ffff:${octets.join('.')}%25eth0]`,
  (octets) => `0X${whole(octets).toString(16).toUpperCase()}`,
  (octets) => octets.join('。'),
  (octets) => octets.join('．'),
  (octets) =>
    octets
      .map((each) => [...String(each)].map((digit) => '０１２３４５６７８９'[Number(digit)]).join(''))
      .join('｡'),
  (octets) => `8.8.8.8@${octets.join('.')}`,
  (octets) => `8.8.8.8:80@${octets.join('.')}`,
];

describe('a target', () => {
  it('is refused at a private address, in any notation', async () => {
    await fc.assert(
      fc.asyncProperty(privateOctets, fc.constantFrom(...spellings), async (octets, spell) => {
        const said = await refusal(`http://${spell(octets)}:8080/hook`);
        expect(said).toMatch(/private address|absolute http|user name/);
      }),
      { numRuns: 2000 },
    );
  });

  it('is refused when its name resolves to a private address', async () => {
    expect(await refusal('http://localhost:3000/')).toContain('private address');
  });

  // prettier-ignore
  it.each([
    ['ftp://example.com', 'absolute http'], ['file:///etc/passwd', 'absolute http'], ['example.com/hook', 'absolute http'],
    ['http://', 'absolute http'], ['https://user:word@example.com/', 'user name'], ['https://user@8.8.8.8/', 'user name'],
    ['javascript:alert(1)', 'absolute http'], ['http://[::1', 'absolute http'],
  ])('is refused as %s', async (url, said) => expect(await refusal(url)).toContain(said));

  it('is accepted at a public address', async () =>
    expect(await refusal('http://8.8.8.8/hook')).toBe('taken'));

  it('must be https in production, and may be private in sandbox unless that is forbidden', async () => {
    const config = readConfig({});
    await expect(validateTarget({ config, environment: 'production' }, 'http://8.8.8.8/')).rejects.toThrow(
      'https URL in production',
    );
    await expect(validateTarget({ config, environment: 'production' }, 'https://127.0.0.1/')).rejects.toThrow(
      'private',
    );
    await expect(
      validateTarget({ config, environment: 'sandbox' }, 'http://127.0.0.1/'),
    ).resolves.toBeUndefined();
    const allowed = readConfig({ ALLOW_PRIVATE_WEBHOOK_TARGETS: 'true' });
    await expect(
      validateTarget({ config: allowed, environment: 'production' }, 'https://127.0.0.1/'),
    ).resolves.toBeUndefined();
  });
});
