import { describe, expect, it } from 'vitest';
import { findMissing } from './compare.ts';
import { kindOf, parsePage, savedAs } from './page.ts';

const FENCE = '```';

describe('a page', () => {
  it('has its blocks with their marks, introduction and kind', () => {
    const [first, second] = parsePage(
      `# Title\n\n<!-- check-docs: skip, needs a container engine -->\n${FENCE}sh\ndocker run\n${FENCE}\n\nSave this as \`a.mjs\`:\n\n  ${FENCE}js\n  run();\n  ${FENCE}\n`,
    );
    expect(first).toMatchObject({ line: 4, text: 'docker run', marks: { skip: 'needs a container engine' } });
    expect(second).toMatchObject({ text: 'run();', marks: {}, section: 1 });
    expect(first && kindOf(first)).toBe('command');
    expect(second && savedAs(second)).toBe('a.mjs');
  });

  it('is refused with a mark that is unknown or gives no reason', () => {
    expect(() => parsePage('<!-- check-docs: skips, nothing -->')).toThrow('line 1: unknown mark');
    expect(() => parsePage('\n<!-- check-docs: skip -->')).toThrow('line 2: "skip" needs a word');
  });
});

describe('an output', () => {
  const missing = (text: string, actual: string, more: { vary?: string; anyOrder?: boolean } = {}) =>
    findMissing({ text, vary: more.vary, anyOrder: more.anyOrder ?? false }, actual);

  it('may differ in ids, times, keys and ellipses, and in nothing else', () => {
    const shown = 'user  01a21050-591f-7482-b907-67d9502f5968\nkey sk_us_... at 2026-01-01T00:00:00Z';
    const came = 'x\nuser 01a21050-591f-7482-b907-000000000000\nkey sk_us_abc at 2027-02-03T04:05:06.789Z';
    expect(missing(shown, came)).toBeUndefined();
    expect(missing('3 markers', '4 markers')).toBe('3 markers');
    expect(missing('3 markers', '4 markers', { vary: String.raw`\d+` })).toBeUndefined();
  });

  it('comes in order, unless the page says otherwise', () => {
    expect(missing('one\ntwo', 'two\none')).toBe('two');
    expect(missing('one\ntwo', 'two\none', { anyOrder: true })).toBeUndefined();
  });

  it('in JSON has what is shown, and may have more', () => {
    expect(missing('{"a":{"b":1}}', '{"c":2,"a":{"b":1,"d":3}}')).toBeUndefined();
    expect(missing('{"a":{"b":1}}', '{"a":{"b":2}}')).toBe('$.a.b: 1, came 2');
  });
});
