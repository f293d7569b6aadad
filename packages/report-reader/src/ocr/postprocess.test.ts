import { describe, expect, it } from 'vitest';
import type { OcrWord } from './engine.ts';
import { postprocessLines } from './postprocess.ts';

/** Words of one line, side by side, each of them sure. */
const lineOf = (texts: readonly string[], step = 100): { words: OcrWord[] } => ({
  words: texts.map((text, at) => ({
    text,
    box: { x0: step * at, x1: step * at + 10 * text.length, y0: 0, y1: 20 },
    confidence: 0.98,
    baseline: 16,
    fontSize: 18,
  })),
});

const read = (...texts: string[]): string[] => postprocessLines([lineOf(texts)]).map(({ text }) => text);
const sureness = (text: string): number =>
  Math.min(...postprocessLines([lineOf([text])]).map((word) => word.confidence));

describe('post-processing', () => {
  it.each([
    ['Rep0rted:', 'Reported:'],
    ['D0B:', 'DOB:'],
    ['Sodiurm', 'Sodium'],
    ['(Uitrasensitive)', '(Ultrasensitive)'],
    ['Linf6citos', 'Linfócitos'],
    ['HbAlc', 'HbA1c'],
    ['Gesamteiwein', 'Gesamteiweiß'],
    ['1.D.R.', 'I.D.R.'],
    ['S-lgG', 'S-IgG'],
    ['mmo1/L', 'mmol/L'],
    ['rmmol/L', 'mmol/L'],
    ['G/I', 'G/l'],
    ['mUl/mL', 'mUI/mL'],
    ['ate', 'até'],
    ['milh0es/mm3', 'milhões/mm3'],
    ['mUIL', 'mUI/L'],
    ['HafenstraBe', 'Hafenstraße'],
    ['mnnlich', 'männlich'],
    ['x103%/µL', 'x10^3/µL'],
    ['mL/min/1:73m2', 'mL/min/1.73m2'],
    ['0:10', '0.10'],
    ['mmol/1', 'mmol/l'],
    ['Gpt/1', 'Gpt/l'],
    ['µg/|', 'µg/l'],
    ['rng/dL', 'mg/dL'],
    ['10^9/1', '10^9/l'],
    ['mg//', 'mg/l'],
    ['mUVL', 'mUI/L'],
    ['KU/I', 'kU/l'],
    ['mmol/!', 'mmol/l'],
    ['..:', ':'],
    ['UREMIA...', 'UREMIA'],
    ['mmol/', 'mmol/l'],
    ['pmo/', 'pmol/l'],
    ['mEg/L', 'mEq/L'],
    ['/HPE', '/HPF'],
    ['pC02', 'pCO2'],
    ['02Hb', 'O2Hb'],
    ['VHemoglobin', 'Hemoglobin'],
    ['1.0^3/µL', '10^3/µL'],
    ['1012/l', '10^12/l'],
    ['10^3/L', '10^3/µL'],
    ['10^3/µ', '10^3/µL'],
    ['10^3/pL', '10^3/µL'],
    ['x103/µL', 'x10^3/µL'],
    ['%6', '%'],
    ['32.0.36.0', '32.0-36.0'],
    ['4,20~5,80', '4,20-5,80'],
    ['O.5', '0.5'],
    ['0snabruck', 'Osnabruck'],
    ['(TGPIALT)', '(TGP/ALT)'],
    ['m/min/1,73m2', 'ml/min/1,73m2'],
    ['g/aL', 'g/dL'],
    ['mgldl', 'mg/dl'],
    ['.mg/dl', 'mg/dl'],
    ['/n!', '/nl'],
    ['mg/d!', 'mg/dl'],
    ['umo1/L', 'umol/L'],
    ['milhões/mm', 'milhões/mm³'],
    ['{133', '(133'],
    ['{', '('],
    ['146}', '146)'],
    ['}', ')'],
    ['(.', '('],
    ['KUA/L', 'kUA/L'],
    ['KUAL', 'kUA/L'],
    ['JU/mL', 'IU/mL'],
    ['UIVL', 'UI/L'],
    ['u/L', 'U/L'],
    ['Pg', 'pg'],
    ['fl.', 'fL'],
    ['mmol/t.', 'mmol/L'],
    ['/µuL', '/µL'],
    ['nmolL', 'nmol/L'],
    ['mgdL', 'mg/dL'],
    ["'T4", 'T4'],
  ])('is put right where its form leaves no doubt: %s', (seen, printed) => {
    expect(read(seen)).toEqual([printed]);
  });

  it.each([
    'B12',
    'Sturm',
    'T0',
    'MX0A12',
    'CO2',
    '09/10/2024',
    '12.05.2021',
    '1:160',
    '10:05',
    '<41',
    '(Negative)',
    '10^9/L',
    '0mmol/l',
    '0mmol',
    'ALT',
    'FISIATRIA',
    'm/s',
    'mg/d',
    'mm/h',
    '(.50',
    'PG',
    'UV',
    'mol',
    "'s-Gravenhage",
  ])('is left alone where it may be so printed: %s', (seen) => {
    expect(read(seen)).toEqual([seen]);
    expect(sureness(seen)).toBe(0.98);
  });

  it('joins the two halves of a unit, because the second would be a flag', () => {
    const apart = (gap: number) =>
      postprocessLines([lineOf(['mmol/', 'L'], 50 + gap)]).map(({ text }) => text);
    expect(apart(4)).toEqual(['mmol/L']);
    expect(apart(20)).toEqual(['mmol/l', 'L']);
  });

  it('joins the two halves of a power of ten, with any sign between them', () => {
    const close = (...texts: string[]) => postprocessLines([lineOf(texts, 34)]).map(({ text }) => text);
    for (const ten of ['10', '10*', '10~', '10^']) expect(close(ten, '9/L')).toEqual(['10^9/L']);
    expect(close('x10*', '12/L')).toEqual(['x10^12/L']);
  });

  it('keeps all digits after a speck', () => {
    expect(read('.0,04')).toEqual(['0,04']);
    expect(read('·80,0')).toEqual(['80,0']);
  });

  it('corrects a sign by its neighbors', () => {
    const close = (...texts: string[]) => postprocessLines([lineOf(texts, 16)]).map(({ text }) => text);
    expect(close('[', 'V', '40')).toEqual(['[', '>', '40']);
    expect(close('A', 'V', '40')).toEqual(['A', 'V', '40']);
    expect(close('X', '&', 'Y')).toEqual(['X', '&', 'Y']);
    expect(close('9', '&')).toEqual(['9', '%']);
    expect(read('Quick', '&', 'INR')).toEqual(['Quick', '%', 'INR']);
  });

  it.each([
    [['133', '·', '146'], 16, ['133', '-', '146']],
    [['35', '~', '53)'], 24, ['35', '-', '53)']],
    [['133', '·', '146'], 90, ['133', '·', '146']],
    [['A', '·', '146'], 16, ['A', '·', '146']],
  ])('reads a dot close between two numbers as the dash of a range: %j, %i apart', (seen, step, printed) => {
    expect(postprocessLines([lineOf(seen, step)]).map(({ text }) => text)).toEqual(printed);
  });

  it('joins a number with separate decimals, with low confidence', () => {
    const [number, ...others] = postprocessLines([lineOf(['0，', '90'], 27)]);
    expect([number?.text, others.length]).toEqual(['0,90', 0]);
    expect(number?.confidence).toBeLessThan(0.75);
    expect(postprocessLines([lineOf(['12.', '12.', '24'], 37)]).map(({ text }) => text)).not.toContain(
      '12.24',
    );
  });

  it('joins a titer with a separate thin digit', () => {
    const close = (...texts: string[]) => postprocessLines([lineOf(texts, 14)]).map(({ text }) => text);
    expect(close('1', ':320')).toEqual(['1:320']);
    expect(close('(', '1', ':8)')).toEqual(['(1:8)']);
    expect(read('1', ':320')).toEqual(['1', ':320']);
  });

  it('removes the remains of a dot leader before a number', () => {
    const [seen] = lineOf(['.21']).words as [OcrWord];
    const wide = { ...seen, box: { ...seen.box, x1: 90 } };
    expect(postprocessLines([{ words: [wide] }]).map(({ text, box }) => [text, box.x1])).toEqual([
      ['21', 90],
    ]);
    expect(postprocessLines([{ words: [wide] }])[0]?.box.x0).toBeGreaterThan(50);
    expect(postprocessLines([{ words: [seen] }])[0]?.text).toBe('.21');
  });

  it.each(['45.', '34:9', '3;0', '.68', '.0,04'])(
    'lowers the confidence of a malformed number: %s',
    (seen) => {
      expect(sureness(seen)).toBeLessThan(0.75);
    },
  );

  it.each([
    ['0.7510^9/L', ['0.75', '10^9/L']],
    ['1.80-7.7010^3/µL', ['1.80-7.70', '10^3/µL']],
    ['22010^9/L', ['220', '10^9/L']],
    ['77,9+', ['77,9', '+']],
  ])('is a number and what belongs to it where both stand in one word: %s', (seen, words) => {
    expect(read(seen)).toEqual(words);
  });

  it('ends a range with a bracket if the page has brackets, otherwise with nothing', () => {
    const ranges = ['[', '4.0', '[', '5.0', '[', '6.0|'];
    expect(read(...ranges).at(-1)).toBe('6.0]');
    expect(read('4.20', '-', '5.80|').at(-1)).toBe('5.80');
  });

  it.each([
    [['3', ',', '0'], '3,0'],
    [['<7', '.', '5'], '<7.5'],
    [['3', ';', '0'], '3,0'],
    [['x10', '3/µL'], 'x10^3/µL'],
  ])('is one word where its parts stand close together: %j', (parts, whole) => {
    const close = postprocessLines([lineOf(parts, parts.length === 3 ? 16 : 40)]);
    expect(close.map(({ text }) => text)).toEqual([whole]);
    expect(read(...parts).length).toBe(parts.length);
  });

  it('joins the parts of a date and a grade in a wide font', () => {
    const close = (...texts: string[]) => postprocessLines([lineOf(texts, 18)]).map(({ text }) => text);
    expect(close('20', '/', '02', '/', '23', '7')).toEqual(['20/02/23', '7']);
    expect(postprocessLines([lineOf(['2', '+'], 14)]).map(({ text }) => text)).toEqual(['2+']);
    expect(read('2', '+')).toEqual(['2', '+']);
  });

  it('uses the comma if a good share of many numbers has it, because a comma loses its tail in coarse print', () => {
    const coarse = ['4.5', '6.1', '7.8', '1.2', '3.4', '5,6', '7,8', '9,1', '2,3'];
    expect(read(...coarse)).toEqual(coarse.map((text) => text.replace('.', ',')));
  });

  it('does not change the number in the name of a tumor marker', () => {
    expect(read('CA', '19.9', '4,5', '6,1')).toEqual(['CA', '19.9', '4,5', '6,1']);
  });

  it('uses the usual decimal sign of the page, and changes nothing if there is none', () => {
    expect(read('4,5', '6,1', '*7.8')).toEqual(['4,5', '6,1', '*7,8']);
    expect(read('4,5', '6.1')).toEqual(['4,5', '6.1']);
  });
});
