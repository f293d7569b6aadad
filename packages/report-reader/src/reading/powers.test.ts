import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (lines: readonly string[]) =>
  readReport([pageOf(lines, 1, { step: 14 })]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.value,
    line.unit,
  ]);

const HEADING = 'Analyse                 Résultat          Unités        Intervalle';
const OTHERS = [
  'Hémoglobine             149               g/L           135 - 175',
  'Créatinine              88                µmol/L        62 - 115',
];

describe('a power of ten after a number', () => {
  it.each(['2,31 x 10*5', '2,31 x 10^5', '2,31 x10^5', '2,31 × 10⁵', '2,31 x10E5', '2,31x10*5'])(
    'belongs to the value if the unit is separate: %s',
    (printed) => {
      const lines = found([
        HEADING,
        ...OTHERS,
        `ADN VHB quantitatif     ${printed.padEnd(17)} UI/mL         Non détecté`,
      ]);
      expect(lines[2]).toEqual(['ADN VHB quantitatif', printed, 231_000, 'UI/mL']);
    },
  );

  it('belongs to the unit if that continues after it', () => {
    const lines = found([
      HEADING,
      ...OTHERS,
      'Leucocytes              5,2 x10^9/L                     4,0 - 11,0',
      'Plaquettes              250 x10^9 /L                    150 - 400',
    ]);
    expect(lines.slice(2).map(([name, printed, value]) => [name, printed, value])).toEqual([
      ['Leucocytes', '5,2', 5.2],
      ['Plaquettes', '250', 250],
    ]);
  });
});
