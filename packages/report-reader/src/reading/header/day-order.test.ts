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
