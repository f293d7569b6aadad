import { describe, expect, it } from 'vitest';
import { withoutSpreadFirst } from './spread-first.mjs';

const run = (text: string, ...given: unknown[]): unknown =>
  new Function('a', 'b', `return ${text}`)(...given);

describe('withoutSpreadFirst', () => {
  it.each([
    ['({ ...a, x: 1 })', '({ ...null, ...a, x: 1 })'],
    ['({ ...a, ...b })', '({ ...null, ...a, ...b })'],
    ['({\n  ...a,\n  x\n})', '({\n  ...null, ...a,\n  x\n})'],
    [
      'f({ ...a, x: { ...b, y: [{ ...a, z }] } })',
      'f({ ...null, ...a, x: { ...null, ...b, y: [{ ...null, ...a, z }] } })',
    ],
  ])('inserts ...null in %j', (text, made) => expect(withoutSpreadFirst(text)).toBe(made));

  it.each([
    '({ ...a })',
    '({ x: 1, ...a })',
    'const { x, ...rest } = a;',
    '[...a, 1]; f(...a, 1);',
    'const text = "{ ...a, x: 1 }"; // { ...a, x: 1 }',
    '`{ ...a, x: 1 }`',
    '',
  ])('does not change %j', (text) => expect(withoutSpreadFirst(text)).toBe(text));

  const symbol = Symbol('a key');
  const getter = {
    get x() {
      return 'read';
    },
  };
  it.each([
    ['overlapping properties', { x: 1, y: 2 }, { y: 3, z: 4 }],
    ['nothing', null, undefined],
    ['a text and a list', 'ab', [1, 2]],
    ['a key of its own that names a prototype', JSON.parse('{"__proto__":{"isAdmin":true}}'), { x: 1 }],
    ['a getter and a symbol', getter, { [symbol]: 1 }],
  ])('keeps the resulting object for %s', (_name, a, b) => {
    const text = '({ ...a, y: 0, ...b, w: 1 })';
    const made = run(withoutSpreadFirst(text), a, b) as object;
    const meant = run(text, a, b) as object;
    expect(Object.getOwnPropertyDescriptors(made)).toEqual(Object.getOwnPropertyDescriptors(meant));
    expect(Reflect.ownKeys(made)).toEqual(Reflect.ownKeys(meant));
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype);
  });
});
