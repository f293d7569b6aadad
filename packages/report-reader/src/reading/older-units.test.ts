import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (...lines: string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
  ]);

describe('other fields of a table row', () => {
  it('may be hours, if range and unit share a column', () => {
    expect(
      found(
        'Test                     Flag    Result    Reference Range - Units',
        'Hours Fasting                    11        h',
        'Triglyceride             HI      2.10      <1.70 mmol/L',
        'Urea                             5.3       2.5 - 7.1 mmol/L',
      )[0],
    ).toEqual(['Hours Fasting', '11', 'h', null]);
  });

  it.each(['µmol/l*s', 'µmol/(l*s)', 'µmol/(s·L)', 'nmol/s/l', 'µkat/l', 'mmol/h/L'])(
    'is an activity in the unit %s',
    (unit) => {
      expect(
        found(
          'Analyt            Referenzbereich      Messwert   Einheit',
          `Lipase            < 1,00               0,61       ${unit}`,
          'Natrium           136 - 145            139        mmol/l',
        )[0],
      ).toEqual(['Lipase', '0,61', unit, '< 1,00']);
    },
  );

  it('may be a single expected number under the range heading', () => {
    expect(
      found(
        'Test               Result     Units     Reference Interval',
        'Hemoglobin F       0.6        %         0.0-2.0',
        'Hemoglobin A       97.2       %         96.4-98.8',
        'Hemoglobin S       0.0        %         0.0',
      ),
    ).toEqual([
      ['Hemoglobin F', '0.6', '%', '0.0-2.0'],
      ['Hemoglobin A', '97.2', '%', '96.4-98.8'],
      ['Hemoglobin S', '0.0', '%', '0.0'],
    ]);
  });

  it('does not include INR as a unit if the name is INR', () => {
    expect(
      found(
        'Analisi                          Valore      Unità     Valori normali',
        'Tempo di Quick (INR)             1,04                  0,80 - 1,20',
        'Fibrinogeno                      312         mg/dL     180 - 400',
        'Sodio                            139         mmol/L    136 - 145',
      )[0],
    ).toEqual(['Tempo di Quick (INR)', '1,04', null, '0,80 - 1,20']);
  });
});
