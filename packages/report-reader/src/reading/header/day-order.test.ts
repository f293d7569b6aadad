import { describe, expect, it } from 'vitest';
import { pageOf } from '../../../test/page-of.ts';
import { readReport } from '../read.ts';

const US = 'Sample Laboratory, 12 Main St, Austin, TX 78701   CLIA ID: 45D1234567';
const TABLE = [
  'Test             Result      Units     Reference Range',
  'Glucose          93          mg/dL     70-99',
];

const collectedOf = (...head: string[]) =>
  readReport([pageOf([...head, '', ...TABLE])]).metadata.dateCollected;

describe('the order of day and month in dates with points', () => {
  // prettier-ignore
  const HEADS: readonly (readonly [about: string, head: readonly string[], collected: string | null])[] = [
    ['month first in a report of the United States', [US, 'Collected: 04.11.2025'], '2025-04-11'],
    ['month first with a telephone number of the United States', ['Sample Laboratory   (512) 555-0100', 'Collected: 04.11.2025'], '2025-04-11'],
    ['day first in a German report', ['Labor Beispielstadt', 'Entnahmedatum: 04.11.2025', 'Untersuchung Ergebnis Einheit Referenzbereich Blutbild und Leberwerte'], '2025-11-04'],
    ['day first in an English report of another country', ['Sample Laboratory Pvt Ltd, NABL accredited', 'Collected: 04.11.2025'], '2025-11-04'],
    ['day first without a sign of a country', ['Sample Laboratory', 'Collected: 04.11.2025'], '2025-11-04'],
    ['as another date of the report proves', [US, 'Collected: 04.11.2025', 'Reported: 13.11.2025'], '2025-11-04'],
    ['as a date with the day above 12 proves', [US, 'Collected: 04.11.2025', 'Reported: 04.13.2025'], '2025-04-11'],
    ['as the distance of slashed dates says', [US, 'Collected: 04/11/2025', 'Reported: 04/12/2025'], '2025-04-11'],
  ];

  it.each(HEADS)('is %s', (_about, head, collected) => {
    expect(collectedOf(...head)).toBe(collected);
  });
});

describe('the order of day and month in a report of the United States', () => {
  // prettier-ignore
  const HEADS: readonly (readonly [about: string, head: readonly string[], collected: string | null])[] = [
    ['month first without any evidence', ['Collected: 04/11/2025'], '2025-04-11'],
    ['as the form before a colon says', ['Collected (DD/MM/YYYY): 04/11/2025'], '2025-11-04'],
    ['as the form behind the date says', ['Collected: 04/11/2025 (dd/mm/yyyy)'], '2025-11-04'],
    ['as a form with points says', ['Collected: 04.11.2025 (DD.MM.YYYY)'], '2025-11-04'],
    ['as a form without brackets says', ['Date of collection DD/MM: 04/11/2025'], '2025-11-04'],
    ['as a form in single letters says', ['Collected (D/M/Y): 04/11/2025'], '2025-11-04'],
    ['as the form of another field says', ['DOB (DD-MM-YYYY): 04-03-1990', 'Collected: 04/11/2025'], '2025-11-04'],
    ['as a form in a heading says', ['All dates: DD / MM / YYYY', 'Collected: 04/11/2025'], '2025-11-04'],
    ['as a form in words says', ['All dates are day/month/year', 'Collected: 04/11/2025'], '2025-11-04'],
    ['month first under its own form', ['Collected (MM/DD/YYYY): 04/11/2025'], '2025-04-11'],
    ['month first next to a form that begins with the year', ['DOB (YYYY-MM-DD): 1990-03-04', 'Collected: 04/11/2025'], '2025-04-11'],
    ['as the form of its own field says, whatever another has', ['DOB (MM/DD/YYYY): 04/03/1990', 'Collected (DD/MM/YYYY): 04/11/2025'], '2025-11-04'],
    ['as a date glued to its label proves', ['Collected: 04/11/2025', 'Reported:25/11/2025'], '2025-11-04'],
    ['as a date in brackets proves', ['Collected: 04/11/2025', 'Page 1 (25/11/2025)'], '2025-11-04'],
    ['as a date with blanks proves', ['Collected: 04/11/2025', 'Reported: 25 / 11 / 2025'], '2025-11-04'],
    ['not what the numbers of a telephone look like', ['Tel. 04.25.12.34.56', 'Collected: 04/11/2025'], '2025-04-11'],
    ['unknown if two dates contradict each other', ['DOB: 25/03/1990', 'Reported: 11/25/2025', 'Collected: 04/11/2025'], null],
    ['unknown if a form contradicts a date', ['All dates: DD/MM/YYYY', 'Reported: 11/25/2025', 'Collected: 04/11/2025'], null],
  ];

  it.each(HEADS)('is %s', (_about, head, collected) => {
    expect(collectedOf(US, ...head)).toBe(collected);
  });
});

it('applies to form and date in a language other than English', () => {
  const table = ['Esame             Risultato      Unità     Valori di riferimento'];
  const head = ['Laboratorio Rossi', 'Data di nascita (mm/gg/aaaa): 04/03/1990', 'Data prelievo: 04/11/2025'];
  const { metadata } = readReport([
    pageOf([...head, ...table, 'Glucosio          92             mg/dL     70-99']),
  ]);
  expect(metadata).toMatchObject({ dob: '1990-04-03', dateCollected: '2025-04-11' });
});

it('decides which of two dated columns is newer', () => {
  const columns = (form: string) =>
    readReport([
      pageOf([
        US,
        form,
        '',
        'Test             04/11/2025     05/10/2025     Units     Reference Range',
        'Glucose          93             81             mg/dL     70-99',
      ]),
    ]).results.map(({ printedValue, reviewReasons }) => [printedValue, reviewReasons.length]);
  expect(columns('Dates: DD/MM/YYYY')).toEqual([['93', 0]]);
  expect(columns('Dates: MM/DD/YYYY')).toEqual([['81', 0]]);
});
