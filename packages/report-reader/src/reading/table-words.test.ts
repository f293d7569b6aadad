import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';
import type { ReportPage } from './report-model.ts';

const read = (page: ReportPage) =>
  readReport([page]).results.map((line) => [line.testName, line.printedValue, line.referenceRange]);
const found = (lines: readonly string[], step = 14) => read(pageOf(lines, 1, { step }));

const HEADING = 'Investigation             Result               Normal values';

describe('results in words in a table', () => {
  it('end above a heading in larger print', () => {
    const page = pageOf(
      [
        HEADING,
        'Haemoglobin               12.4                 13.0 - 17.0',
        'Platelet count            184                  150 - 450',
        'Malaria parasite          Not seen',
        '                             IMMUNOLOGY',
        HEADING,
        'Rheumatoid factor         Negative             Negative',
        'C-reactive protein        2.1                  0.0 - 6.0',
      ],
      1,
      { step: 12 },
    );
    const words = page.words.map((word) => (word.text === 'IMMUNOLOGY' ? { ...word, fontSize: 11.5 } : word));
    expect(read({ ...page, words }).map(([, value]) => value)).toEqual([
      '12.4',
      '184',
      'Not seen',
      'Negative',
      '2.1',
    ]);
  });

  it('may be a blood group with a zero', () => {
    const lines = found([
      HEADING,
      'Haemoglobin               12.4                 13.0 - 17.0',
      'Blood group               0 Rh (D) negative',
    ]);
    expect(lines[1]).toEqual(['Blood group', '0 Rh (D) negative', null]);
  });

  it('may have the finding in brackets', () => {
    const lines = found([
      HEADING,
      'Haemoglobin               12.4                 13.0 - 17.0',
      'Malaria antigen           POSITIVE (P.v)       Negative',
    ]);
    expect(lines[1]).toEqual(['Malaria antigen', 'POSITIVE (P.v)', 'Negative']);
  });

  it('may continue in the next row together with their names', () => {
    const lines = found(
      [
        HEADING,
        'Haemoglobin               12.4                 13.0 - 17.0',
        '',
        'Blood film for malaria    P. vivax',
        'parasites                 ring forms seen',
        '',
        'Platelet count            184                  150 - 450',
      ],
      12,
    );
    expect(lines).toEqual([
      ['Haemoglobin', '12.4', '13.0 - 17.0'],
      ['Blood film for malaria parasites', 'P. vivax ring forms seen', null],
      ['Platelet count', '184', '150 - 450'],
    ]);
  });
});
