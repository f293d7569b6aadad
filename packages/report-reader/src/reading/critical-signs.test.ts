import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const levels = (high: string, most: string) =>
  readReport([
    pageOf([
      'Test             Result     Flag      Reference',
      `Sodium           148        ${high}         136-145 mmol/L`,
      `Urea             11.2       ${high}         2.5-7.8 mmol/L`,
      `Creatinine       140        ${high}         62-106 umol/L`,
      `Potassium        6.9        ${most}        3.5-5.1 mmol/L`,
    ]),
  ]).results.map(({ flagLevel, interpretation }) => [flagLevel, interpretation]);

describe('a marked or doubled flag', () => {
  it.each([
    ['H', '*H'],
    ['H', 'H*'],
    ['H', 'H!'],
    ['H', 'HH'],
    ['+', '++'],
  ])('is critical if the single form is used, too: %s and %s', (high, most) => {
    expect(levels(high, most)).toEqual([
      ['high', 'abnormal'],
      ['high', 'abnormal'],
      ['high', 'abnormal'],
      ['critical_high', 'critical'],
    ]);
  });

  it('has no meaning if all flags are marked', () => {
    expect(levels('*H', '*H')).toEqual(Array.from({ length: 4 }, () => ['high', 'abnormal']));
  });
});
