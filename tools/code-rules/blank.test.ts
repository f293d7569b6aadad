import { expect, it } from 'vitest';
import { blank } from './blank.ts';

// prettier-ignore
const rows: { name: string; source: string; code: string }[] = [
  { name: 'a line comment',               source: 'a; // app.x\nb',          code: 'a;         \nb' },
  { name: 'a block comment, its lines',   source: 'a /* b\n "c" */ d',       code: 'a     \n        d' },
  { name: 'strings',                      source: `f('app.x', "y")`,         code: 'f(""""""", """)' },
  { name: 'an escaped quote',             source: `'it\\'s' + a`,            code: '"""""""' + ' + a' },
  { name: 'a comment inside a string',    source: `'http://x' + a`,          code: '"""""""""" + a' },
  { name: 'a quote inside a comment',     source: `// don't\na`,             code: '        \na' },
  { name: 'a template and its code',      source: '`x ${app.y} z` + a',      code: '"""""app.y"""" + a' },
  { name: 'braces inside a template',     source: '`${f({ a: `${b}` })}`;c', code: '"""f({ a: """b"" })"";c' },
  { name: 'a regular expression',         source: `x = /['"]{/g.test(y)`,    code: 'x = """""""".test(y)' },
  { name: 'a slash in a class',           source: `f(/[/']/, z)`,            code: 'f("""""", z)' },
  { name: 'a division',                   source: `a / b + 'c' / d`,         code: 'a / b + """ / d' },
  { name: 'a division after a bracket',   source: `(a) / b[0] / 'c'`,        code: '(a) / b[0] / """' },
  { name: 'a regular expression returned', source: `return /'/;`,            code: 'return """;' },
];

it.each(rows)('takes the words out of $name', ({ source, code }) => {
  expect(blank(source)).toBe(code);
  expect(code).toHaveLength(source.length);
});
