import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { correctColons, correctZeros, correctPercentMisreads, insertPercentSigns } from './column-context.ts';

const noughts = (...lines: string[]): string[] => correctZeros(pageOf(lines).words).map(({ text }) => text);

const column = (name: string, value: string): string[] => [
  'Quark        12   %',
  'Lepton        3   %',
  `${name.padEnd(12)}  ${value}   %`,
  'Boson         7   %',
  'Gluon         1   %',
];

describe('a single o', () => {
  it('is a zero in a column of numbers', () => {
    expect(noughts(...column('Hadron', 'o'))).not.toContain('o');
    expect(noughts(...column('Hadron', 'O'))).not.toContain('O');
  });

  it('is a letter for a blood group, or if there are no numbers above and below', () => {
    expect(noughts(...column('Blood group', 'O'))).toContain('O');
    expect(noughts('Hadron        o   %', 'Remark  positive  and more')).toContain('o');
  });
});

describe('a shape that may be a percent sign or 96', () => {
  const rows = [
    'Quark     12  U/L',
    'Lepton    34  U/L',
    'Hadron     %  U/L',
    'Boson     71  U/L',
    'Gluon     12  U/L',
  ];
  const read = (lines: readonly string[], confidence: number): string[] =>
    correctPercentMisreads(
      pageOf(lines).words.map((word) => (word.text === '%' ? { ...word, confidence } : word)),
    ).map(({ text }) => text);

  it('is the number in a column of numbers', () => {
    expect(read(rows, 0.7)).toContain('96');
    expect(read(rows, 0.95)).not.toContain('96');
  });

  it('is the sign in a column of signs or units', () => {
    const signs = rows.map((row) => row.replace('U/L', '%'));
    expect(read(signs, 0.7).filter((text) => text === '%')).toHaveLength(5);
    expect(read(['Quark     12  %', 'Lepton    34  g/L', 'Boson     71  U/L'], 0.7)).not.toContain('96');
  });
});

describe('a hardly legible sign', () => {
  const rows = [
    'Quark      :  12',
    'Lepton     :  3',
    'Hadron     A.  4',
    'Boson      :  7',
    'Gluon      :  1',
  ];
  const read = (confidence: number): string[] =>
    correctColons(
      pageOf(rows).words.map((word) => (word.text === 'A.' ? { ...word, confidence } : word)),
    ).map(({ text }) => text);

  it('is a colon in a column of colons', () => {
    expect(read(0.2)).not.toContain('A.');
    expect(read(0.8)).toContain('A.');
  });
});

describe('a percentage and a count', () => {
  const rows = (sign: string) => [
    'Quarks     62,0 %    4464 /mm3   1500 a 7000',
    'Leptons     7,0 %     504 /mm3    100 a 1000',
    `Hadrons     0,5 ${sign}      36 /mm3      0 a 220`,
  ];
  const read = (...lines: string[]): string =>
    insertPercentSigns(pageOf(lines).words)
      .map(({ text }) => text)
      .join(' ');

  it('get back the percent sign that was lost between them', () => {
    expect(read(...rows(' '))).toContain('0,5 % 36 /mm3');
    expect(read(...rows('%'))).toContain('0,5 % 36 /mm3');
    expect(read('Hadrons     0,5        36 /mm3      0 a 220')).toContain('0,5 36 /mm3');
  });
});
