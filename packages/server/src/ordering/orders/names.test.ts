import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { initialDataKeys, tenantCipher } from '../../platform/crypto/cipher.ts';
import { prefixToken, suffixToken, nameId, nameKey, nameTokens } from './names.ts';

const cipher = tenantCipher(initialDataKeys(Buffer.alloc(32, 1)), 'team/sandbox');
const other = tenantCipher(initialDataKeys(Buffer.alloc(32, 2)), 'team/production');

const found = (name: string, text: string) =>
  nameTokens(cipher, nameKey(name)).begins.includes(prefixToken(cipher, nameKey(text)));

const allOf = ({ begins, ends }: ReturnType<typeof nameTokens>) => [...begins, ...ends];

describe('a name', () => {
  // prettier-ignore
  it.each([
    ['Ada Lovelace',          'ada lovelace'],
    ['  ADA \t Lovelace ',    'ada lovelace'],
    ['Anna-Maria de la Cruz', 'anna maria de la cruz'],
    ['Jose\u0301 A\u030angstro\u0308m', 'jose angstrom'],
    ['- -',                   ''],
  ])('%s is compared as %s', (name, key) => {
    expect(nameKey(name)).toBe(key);
  });

  // prettier-ignore
  it.each([
    ['Ada Lovelace',             'love',            true],
    ['Ada Lovelace',             'ADA  LOVE',       true],
    ['Ada Lovelace',             'ovelace',         false],
    ['Ada Lovelace',             'lovelace ada',    false],
    ['Ada Lovelace',             'adal',            false],
    ['Maria de la Cruz-Ortiz',   'la cruz o',       true],
    ['Maria de la Cruz-Ortiz',   'maria cruz',      false],
    ['Maria de la Cruz-Ortiz',   'cruz-ortiz',      true],
    ["Siobhan O'Brien",          "o'b",             true],
    ['𝒜da 中文',                  '𝒜',               true],
    ['Wolfeschlegelsteinhausenbergerdorff the First', 'wolfeschlegelsteinhausenbergerdorff', true],
  ])('%s, looked for as %s: %s', (name, text, isFound) => {
    expect(found(name, text)).toBe(isFound);
  });

  it('has tokens for all word prefixes and for all suffixes at words, and no others', () => {
    const word = fc.stringMatching(/^[a-cé中'-]{1,4}$/);
    const name = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(name, name, (one, text) => {
        const [key, wanted] = [nameKey(one), nameKey(text)];
        fc.pre(key !== '' && wanted !== '');
        const tokens = nameTokens(cipher, key);
        expect(tokens.begins.includes(prefixToken(cipher, wanted))).toBe(` ${key}`.includes(` ${wanted}`));
        expect(tokens.ends.includes(suffixToken(cipher, wanted))).toBe(` ${key}`.endsWith(` ${wanted}`));
        const all = allOf(tokens);
        expect(new Set(all).size).toBe(all.length);
      }),
    );
  });

  it('has a limited number of tokens', () => {
    expect(allOf(nameTokens(cipher, 'ada lovelace'))).toHaveLength(22);
    expect(allOf(nameTokens(cipher, `${'abcdefg '.repeat(100)}z`)).length).toBeLessThanOrEqual(8 * 33);
  });

  it('has different tokens for each tenant', () => {
    const tokens = new Set(allOf(nameTokens(cipher, 'ada lovelace')));
    expect(allOf(nameTokens(other, 'ada lovelace')).filter((token) => tokens.has(token))).toEqual([]);
    expect(nameId(other, 'ada lovelace')).not.toBe(nameId(cipher, 'ada lovelace'));
  });
});
