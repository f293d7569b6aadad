import { Secret } from 'otpauth';
import { describe, expect, it } from 'vitest';
import { findTotpStep, newTotpSecret, toTotpUri } from './totp-codes.ts';

/** The secret of the test vectors of RFC 6238, appendix B; their last six digits are ours. */
const SECRET = Secret.fromLatin1('12345678901234567890').base32;
const at = (seconds: number) => new Date(seconds * 1000);

describe('a code', () => {
  // prettier-ignore
  it.each([
    [59,            '287082', 1],
    [1_111_111_109, '081804', 37_037_036],
    [1_234_567_890, '005924', 41_152_263],
    [2_000_000_000, '279037', 66_666_666],
  ])('of second %i is %s', (seconds, code, step) => {
    expect(findTotpStep(SECRET, code, at(seconds))).toBe(step);
  });

  // prettier-ignore
  it.each([
    ['in the 30 seconds before',     30,  true],
    ['in the 30 seconds after',     -30,  true],
    ['a minute early',               60,  false],
    ['a minute late',               -60,  false],
  ])('is judged %s', (_, seconds, isRight) => {
    expect(findTotpStep(SECRET, '279037', at(2_000_000_000 - seconds)) === 66_666_666).toBe(isRight);
  });

  it.each(['', '27903', '2790370', '27903a', ' 279037'])('is wrong as "%s"', (code) => {
    expect(findTotpStep(SECRET, code, at(2_000_000_000))).toBeUndefined();
  });
});

describe('a new secret', () => {
  it('has 160 random bits, and its URI has what an authenticator app needs', () => {
    const secret = newTotpSecret();
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(newTotpSecret()).not.toBe(secret);
    const uri = new URL(toTotpUri(secret, { issuer: 'St. Mary: Clinic', label: 'ada@clinic.example' }));
    expect(uri.protocol).toBe('otpauth:');
    expect(Object.fromEntries(uri.searchParams)).toEqual({
      issuer: 'St. Mary: Clinic',
      secret,
      algorithm: 'SHA1',
      digits: '6',
      period: '30',
    });
    expect(decodeURIComponent(uri.pathname)).toContain('ada@clinic.example');
  });
});
