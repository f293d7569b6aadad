import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DecimalLiteral, parsePreciseJson, PreciseJsonError, stringifyPreciseJson } from './precise-json.ts';

/** What the text is read as, with the numbers that `JSON.parse` would read; 'refused' if it is no JSON. */
function outcomeOf(read: (text: string) => unknown, text: string): unknown {
  try {
    return JSON.parse(JSON.stringify(read(text)));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof PreciseJsonError) return 'refused';
    throw error;
  }
}

// prettier-ignore
const NUMBERS = [
  '0', '-0', '0.0', '5', '5.0', '5.10', '-5.10', '1e3', '1E3', '1e+3', '1.50E-2', '1e21', '1e+21', '1e-7', '0.0000001', '100000000000000000000',
  '9007199254740993', '12345678901234567890.10', '1e400', '-1e400', '1e-400', '123456789.123456789123456789',
];

// prettier-ignore
const TEXTS = [
  '', ' ', '{', '}', '[', ']', '[1,]', '[,1]', '[1 2]', '{"a"}', '{"a":}', '{"a":1,}', '{,}', '{a:1}', "{'a':1}", '{"a" 1}', '{"a":1 "b":2}', '{1:2}',
  '01', '-', '-a', '+1', '.5', '5.', '1e', '1e+', '0x10', 'NaN', 'Infinity', '-Infinity', 'undefined', 'nul', 'nulll', 'True', 'truefalse', '1 2', '1,2', '[1][2]',
  '"', '"\\"', '"a', '"\\x"', '"\\u12"', '"\\u12G4"', '"a\nb"', '"a\tb"', '"\\\\"', '"\\\\\\""', '"\\\\" ', '"\\ud800"', '"\\u0000"', '"\u2028"', '"é😀"',
  '\uFEFF1', '\u00a01', '/**/1', '1//', ' \t\r\n1 \t\r\n', '[ ]', '{ }', '[[],{},[{}]]', '{"":0}', '{"__proto__":{"a":1}}', '{"constructor":1,"toString":2}', '{"b":1,"a":2,"10":3,"9":4}',
  'true', 'false', 'null', '[true,false,null,"",0]', '{"a":{"b":[{"c":5.10}]}}',
];

describe('JSON with precise numbers', () => {
  it.each(NUMBERS)('keeps the number %s', (literal) => {
    const read = parsePreciseJson(`[${literal}]`);
    expect(stringifyPreciseJson(read)).toBe(`[${literal}]`);
    expect(outcomeOf(parsePreciseJson, literal)).toEqual(outcomeOf(JSON.parse, literal));
  });

  it('reads only numbers as literals that a number would lose', () => {
    expect(parsePreciseJson('[5.1,5.10,-0,0,1e3]')).toEqual([
      5.1,
      new DecimalLiteral('5.10'),
      new DecimalLiteral('-0'),
      0,
      new DecimalLiteral('1e3'),
    ]);
  });

  it.each(TEXTS)('is what JSON.parse says of %j', (text) => {
    expect(outcomeOf(parsePreciseJson, text)).toEqual(outcomeOf(JSON.parse, text));
  });

  it('is what JSON.parse says of every document, and is written as JSON.stringify does', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t'), (text, space) => {
        const plain: unknown = JSON.parse(text);
        const spaced = JSON.stringify(plain, null, space);
        expect(outcomeOf(parsePreciseJson, spaced)).toEqual(plain);
        expect(stringifyPreciseJson(plain)).toBe(JSON.stringify(plain));
      }),
      { numRuns: 300 },
    );
  });

  it('refuses what JSON.parse refuses, also in damaged documents', () => {
    const damage = fc.tuple(
      fc.nat(),
      fc.nat(3),
      fc.constantFrom('', '"', '\\', ',', ':', '0', '.', '-', '}', ']', ' '),
    );
    fc.assert(
      fc.property(fc.json(), damage, (text, [at, length, put]) => {
        const from = at % (text.length + 1);
        const broken = text.slice(0, from) + put + text.slice(from + length);
        // A key that is twice in an object is refused here alone.
        fc.pre(!isRepeatedKey(broken));
        expect(outcomeOf(parsePreciseJson, broken)).toEqual(outcomeOf(JSON.parse, broken));
      }),
      { numRuns: 500 },
    );
  });

  // prettier-ignore
  it.each([
    ['a key that is twice in an object', '{"a":5.10,"b":2,"a":5.10}',              'The JSON has a key twice in one object, at character 17'],
    ['a key that is escaped once',       String.raw`{"a":1,"\u0061":2}`,            'The JSON has a key twice in one object, at character 8'],
    ['two prototypes',                   '{"__proto__":1,"__proto__":2}',          'The JSON has a key twice in one object, at character 16'],
    ['101 levels',                       `${'['.repeat(101)}${']'.repeat(101)}`,   'The JSON is nested deeper than 100 levels'],
    ['a million levels of objects',      '{"a":'.repeat(1_000_000),                'The JSON is nested deeper than 100 levels'],
    ['a text that is cut',               '{"a":5.1',                               'The body is not JSON: unexpected text or end at character 9'],
    ['a text without its end',           '{"a":"Lovelace',                         'The body is not JSON: unexpected text or end at character 15'],
  ])('refuses %s, and says nothing of the content', (_what, text, reason) => {
    expect(() => parsePreciseJson(text)).toThrow(new PreciseJsonError(reason));
  });

  it('reads 100 levels', () => {
    const text = `${'['.repeat(100)}${']'.repeat(100)}`;
    expect(stringifyPreciseJson(parsePreciseJson(text))).toBe(text);
  });

  it('sets no prototype', () => {
    const read = parsePreciseJson('{"__proto__":{"polluted":true}}');
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(Object.keys(Object(read))).toEqual(['__proto__']);
    expect('polluted' in Object(read)).toBe(false);
  });

  it('is written with dates, and without what is undefined', () => {
    const value = { a: undefined, b: [undefined, new Date(0)], c: new DecimalLiteral('5.10'), d: 'x' };
    expect(stringifyPreciseJson(value)).toBe('{"b":[null,"1970-01-01T00:00:00.000Z"],"c":5.10,"d":"x"}');
    expect(JSON.stringify(value)).toBe('{"b":[null,"1970-01-01T00:00:00.000Z"],"c":5.1,"d":"x"}');
  });
});

function isRepeatedKey(text: string): boolean {
  try {
    parsePreciseJson(text);
    return false;
  } catch (error) {
    return error instanceof PreciseJsonError && error.message.includes('twice');
  }
}
