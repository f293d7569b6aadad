import { expect, it } from 'vitest';
import { compareFirstNames, compareLastNames, editDistance, toNameWords } from './compare-names.ts';

// prettier-ignore
const LAST: [string, string, string][] = [
  ["O'Brien",      'OBRIEN',         'same'],
  ['Smith-Jones',  'SMITH JONES',    'same'],
  ['Nuñez',        'NUNEZ',          'same'],
  ['Ørsted',       'ORSTED',         'same'],
  ['Smith',        'Smith Jr.',      'same'],
  ['Van der Berg', 'Vanderberg',     'same'],
  ['Garcia Lopez', 'Garcia',         'similar'],
  ['Rodriguez',    'Rodrigues',      'similar'],
  ['Johnson',      'Jonhson',        'similar'],
  ['Smith',        'Smyth',          'similar'],
  ['Lee',          'Lea',            'different'],
  ['Ho',           'Van Ho',         'different'],
  ['Smith',        'Jones',          'different'],
  ['Smith',        '',               'unknown'],
];
it.each(LAST)('family names %s and %s: %s', (ours, theirs, verdict) => {
  expect(compareLastNames(toNameWords(ours), toNameWords(theirs))).toBe(verdict);
  expect(compareLastNames(toNameWords(theirs), toNameWords(ours))).toBe(verdict);
});

// prettier-ignore
const FIRST: [string, string, string][] = [
  ['Mary Ann',   'MARYANN',    'same'],
  ['Mary',       'Mary Ann',   'same'],
  ['Mary-Ann',   'Mary Ann',   'same'],
  ['J',          'John',       'similar'],
  ['Katherine',  'Katharina',  'similar'],
  ['Maria',      'Marie',      'similar'],
  ['John',       'Joan',       'different'],
  ['Ann',        'Amy',        'different'],
  ['William',    'Bill',       'different'],
  ['',           'Bill',       'unknown'],
];
it.each(FIRST)('first names %s and %s: %s', (ours, theirs, verdict) => {
  expect(compareFirstNames(toNameWords(ours), toNameWords(theirs))).toBe(verdict);
  expect(compareFirstNames(toNameWords(theirs), toNameWords(ours))).toBe(verdict);
});

it('counts changed, lost, added and swapped letters', () => {
  expect([
    editDistance('abc', 'abc'),
    editDistance('abc', 'acb'),
    editDistance('abc', 'ab'),
    editDistance('', 'abc'),
  ]).toEqual([0, 1, 1, 3]);
});
