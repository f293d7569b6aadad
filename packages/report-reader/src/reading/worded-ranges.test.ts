import { expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const HEAD = 'Test                    Result                  Units     Reference Range';

// prettier-ignore
const LINES: readonly (readonly [line: string, range: string, interpretation: string])[] = [
  ['Albumine                ++                                VN : Absence',      'Absence',         'abnormal'],
  ['Sucre                   Traces                            V.N. : Absence',    'Absence',         'abnormal'],
  ['Acétone                 Absence                           VN : Absence',      'Absence',         'normal'],
  ['ANA                     positivo 1:160                    negativo < 1:80',   'negativo < 1:80', 'abnormal'],
  ['ANA                     negativo                          negativo < 1:80',   'negativo < 1:80', 'normal'],
  ['ANA                     positivo 1:40                     negativo < 1:80',   'negativo < 1:80', 'unknown'],
  ['Bacteria                Present (few)                     Absent',            'Absent',          'abnormal'],
  ['Bence Jones             presente, catene kappa            assente',           'assente',         'abnormal'],
  ['Appearance              Slightly hazy                     Clear',             'Clear',           'abnormal'],
  ['Aspecto                 Turbio                            Límpido',           'Límpido',         'abnormal'],
  ['Aspetto                 limpido                           trasparente',       'trasparente',     'unknown'],
  ['Bacterias               Abundantes                        Escasas',           'Escasas',         'abnormal'],
  ['Bacterias               Escasas                           Moderadas',         'Moderadas',       'unknown'],
  ['Colour                  Amber                             Yellow',            'Yellow',          'unknown'],
];

it('finds no bound in a titer', () => {
  const line = 'AMA                     POSITIVO 1/640                    Negativo < 1/40';
  expect(readReport([pageOf([HEAD, line])]).results).toMatchObject([
    { referenceRange: 'Negativo < 1/40', min: null, max: null, interpretation: 'abnormal' },
  ]);
});

it.each(LINES)(
  'interprets a result in words by the words of its range: %s',
  (line, range, interpretation) => {
    expect(readReport([pageOf([HEAD, line])]).results).toMatchObject([
      { referenceRange: range, interpretation },
    ]);
  },
);
