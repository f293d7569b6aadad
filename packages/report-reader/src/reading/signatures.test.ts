import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

it('does not take signers for the range or flag of the last result', () => {
  const { results } = readReport([
    pageOf([
      'Esame                   Risultato                        Valori normali',
      'Glucosio                90 mg/dl                         70 - 100',
      'Sedimento               rari leucociti, alcune cellule',
      '                                                         Il Direttore: Dott. C. Vizzini, biologo',
    ]),
  ]);
  expect(results.map(({ testName, referenceRange, flag }) => [testName, referenceRange, flag])).toEqual([
    ['Glucosio', '70 - 100', null],
    ['Sedimento', null, null],
  ]);
});
