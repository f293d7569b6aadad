import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import type { ReportWord } from '../reading/report-model.ts';
import { correctByContext } from './row-context.ts';

const known = (...lines: string[]): string[] => correctByContext(pageOf(lines).words).map(({ text }) => text);

describe('a word that is recognized by its row', () => {
  it.each([
    ['ABO Group          0', 'O'],
    ['Blood group        0+', 'O+'],
    ['Groupe sanguin     0', 'O'],
    ['ABO Group          AB', 'AB'],
    ['Casts              0', '0'],
    ['ABO antibodies  4  0', '0'],
  ])('is a letter where it is a blood group: %s', (line, last) => {
    expect(known('Results of the patient and the specimen', line).at(-1)).toBe(last);
  });

  it('is a number if the language of the page writes blood groups with a zero', () => {
    const german = ['Befund des Patienten mit Ergebnis und Referenzbereich', 'Blutgruppe AB0      0'];
    expect(known(...german).at(-1)).toBe('0');
  });

  it.each([
    ['Hématies      4,71  106/mm3', '10^6/mm3'],
    ['Leucocytes    7,2   x103/mm³', 'x10^3/mm³'],
    ['Cells in CSF  106/mm3', '106/mm3'],
  ])('is a power of ten behind a number only: %s', (line, last) => {
    expect(known(line).at(-1)).toBe(last);
  });

  it.each([
    ['GGT .         11  U/L', 'GGT 11 U/L'],
    ['GGT           11  .', 'GGT 11 .'],
    ['Dr . Meier    11  U/L', 'Dr . Meier 11 U/L'],
    ['Glucose  5 .  mmol/L', 'Glucose 5 . mmol/L'],
  ])('is no word where it is a speck behind a name: %s', (line, left) => {
    expect(known(line).join(' ')).toBe(left);
  });

  it('is a code in a column of codes', () => {
    const column = ['d2  House dust   0,4', 'g6  Timothy   1,2', 'fl  Egg white   0,1', 'm6  Alternaria   3'];
    expect(known(...column)).toContain('f1');
    expect(known('fl  Egg white   0,1', 'Potassium   4')).toContain('fl');
  });

  it('is the edge of another word if it was read on it a second time', () => {
    const [name, sign, rest] = pageOf(['corpuscular : haemoglobin']).words as [
      ReportWord,
      ReportWord,
      ReportWord,
    ];
    const onIt = { ...sign, box: { ...sign.box, x0: name.box.x1 - 4, x1: name.box.x1 + 1 } };
    expect(correctByContext([name, onIt, rest]).map(({ text }) => text)).toEqual([
      'corpuscular',
      'haemoglobin',
    ]);
    expect(correctByContext([name, sign, rest])).toHaveLength(3);
  });

  it('is the stem of the first letter of another word if it overlaps it with low confidence', () => {
    const [label, stem, name] = pageOf(['Sexo: 1 Masculino']).words as [ReportWord, ReportWord, ReportWord];
    const onIt = { ...stem, confidence: 0.6, box: { ...stem.box, x0: name.box.x0 - 3, x1: name.box.x0 + 2 } };
    expect(correctByContext([label, onIt, name]).map(({ text }) => text)).toEqual(['Sexo:', 'Masculino']);
    expect(correctByContext([label, { ...onIt, confidence: 0.9 }, name])).toHaveLength(3);
  });
});

describe('a word within another word', () => {
  const read = (echo: Partial<ReportWord>): string => {
    const [name, value] = pageOf(['Iron          138']).words;
    if (!name || !value) throw new Error('A line has words');
    const piece = {
      ...value,
      text: '3',
      box: { ...value.box, x0: value.box.x1 - 6 },
      confidence: 0.83,
      ...echo,
    };
    return correctByContext([name, value, piece])
      .map(({ text }) => text)
      .join(' ');
  };

  it('is a fragment that was read twice', () => {
    expect(read({})).toBe('Iron 138');
  });

  it('is a separate word if it is next to the other, or as long', () => {
    expect(read({ box: { x0: 130, x1: 136, y0: 20, y1: 30 } })).toBe('Iron 138 3');
    expect(read({ text: '135' })).toBe('Iron 138 135');
  });
});
