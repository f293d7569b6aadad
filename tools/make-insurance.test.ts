import { expect, it } from 'vitest';
import { findDisagreements, parseOrderFile, parseTabularList } from './make-insurance.ts';

const orderLine = (code: string, billable: string, title: string) =>
  `00001 ${code.padEnd(7)} ${billable} ${title.slice(0, 60).padEnd(60)} ${title}`;

it('reads the fixed columns of the order file and sorts by code', () => {
  const lines = [
    orderLine('A000', '1', 'Cholera due to Vibrio cholerae 01, biovar cholerae'),
    orderLine('A00', '0', 'Cholera'),
  ];
  expect(parseOrderFile(lines.join('\r\n'))).toEqual([
    'A00\t0\tCholera',
    'A000\t1\tCholera due to Vibrio cholerae 01, biovar cholerae',
  ]);
});

const diag = (name: string, inside: string) => `<diag><name>${name}</name><desc>x</desc>${inside}</diag>`;
const note = (kind: string, text: string) => `<${kind}><note>${text}</note></${kind}>`;
const chapter = (inside: string) =>
  `<chapter><name>4</name><desc>Endocrine (E00-E89)</desc><sectionIndex><sectionRef first="E08" id="E08-E13">x</sectionRef></sectionIndex>${inside}</chapter>`;
const section = (inside: string) =>
  `<section id="E08-E13"><desc>Diabetes (E08-E13)</desc>${inside}</section>`;

// prettier-ignore
const tabulars: [string, string, string[]][] = [
  ['a code with all below it',   diag('E11', note('excludes1', 'gestational diabetes (O24.4-)')),   ['excludes1\tE11\tO244']],
  ['a whole category',           diag('E11', note('excludes1', 'type 1 (E10.-)')),                  ['excludes1\tE11\tE10']],
  ['a range',                    diag('R73.0', note('excludes1', 'diabetes mellitus (E08-E13)')),   ['excludes1\tR730\tE08-E13']],
  ['a list',                     diag('I10', note('excludes1', 'hypertension (O10-O11, O13.-)')),   ['excludes1\tI10\tO10-O11', 'excludes1\tI10\tO13']],
  ['a note below another code',  diag('E11', diag('E11.6', note('excludes2', 'x (J44.89)'))),       ['excludes2\tE116\tJ4489']],
  ['a note after another code',  diag('E11', diag('E11.6', '') + note('excludes2', 'x (J44.89)')),  ['excludes2\tE11\tJ4489']],
  ['a note of a section',        section(note('excludes1', 'x (P70.2)')),                           ['excludes1\tE08-E13\tP702']],
  ['Excludes1 of a chapter',     note('excludes1', 'x (P70.2)'),                                    ['excludes1\tE00-E89\tP702']],
  ['no Excludes2 of a chapter',  note('excludes2', 'x (R00-R94)'),                                  []],
  ['no condition in words',      diag('E11', note('excludes1', 'x (T36-T50 with character 5)')),    []],
  ['no other kind of note',      diag('E11', '<includes><note>x (E10)</note></includes>'),          []],
];

it.each(tabulars)('reads from the tabular list %s', (_, inside, rows) => {
  expect(parseTabularList(chapter(inside)).rows).toEqual(rows);
});

it('lists where a seed differs from the official rows', () => {
  const official = ['A00\t0\tCholera', 'A000\t1\tCholera due to Vibrio'];
  expect(findDisagreements(['A00\t~\tCholera', 'A000\t1\tCholera due to Vibrio'], official)).toEqual([]);
  expect(findDisagreements(['A00\t1\tCholera'], official)).toEqual([
    'seed: A00\t1\tCholera\nreal: A00\t0\tCholera',
  ]);
  expect(findDisagreements(['A01\t1\tFever'], official)).toEqual(['seed: A01\t1\tFever\nreal: no such code']);
});
