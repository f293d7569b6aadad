import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (lines: readonly string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
    line.flag,
  ]);

const SODIUM = ['Sodium', '140', 'mmol/L', '136 - 145', null];
const POTASSIUM = ['Potassium', '5.3', 'mmol/L', '3.5 - 5.1', 'High'];
const CHLORIDE = ['Chloride', '101', 'mmol/L', '98 - 107', null];
const CO2 = ['CO2', '21', 'mmol/L', '22 - 29', 'Low'];

describe('cards of a patient portal', () => {
  // prettier-ignore
  const PAGES: readonly (readonly [about: string, lines: readonly string[], expected: readonly unknown[]])[] = [
    ['two beside each other, the range above the value', [
      'Sodium                                  Potassium',
      'Normal range: 136 - 145 mmol/L          Normal range: 3.5 - 5.1 mmol/L',
      'Value 140                               Value 5.3 High',
      '',
      'Chloride                                CO2',
      'Normal range: 98 - 107 mmol/L           Normal range: 22 - 29 mmol/L',
      'Value 101                               Value 21 Low',
    ], [SODIUM, CHLORIDE, POTASSIUM, CO2]],
    ['values above the marks of scales, and links', [
      'Sodium                    View trends   Potassium                 View trends',
      'Normal range: 136 - 145 mmol/L          Normal range: 3.5 - 5.1 mmol/L',
      '        Value                               Value',
      '        140                                 5.3 High',
      '136                  145                3.5                 5.1',
      '',
      'Chloride                  View trends   CO2                       View trends',
      'Normal range: 98 - 107 mmol/L           Normal range: 22 - 29 mmol/L',
      '                Value                   Value',
      '                101                     21 Low',
      '98                   107                22                  29',
    ], [SODIUM, CHLORIDE, POTASSIUM, CO2]],
    ['three beside each other', [
      'Sodium                                Potassium                            Chloride',
      'Normal range: 136 - 145 mmol/L        Normal range: 3.5 - 5.1 mmol/L       Normal range: 98 - 107 mmol/L',
      'Value 140                             Value 5.3 High                       Value 101',
    ], [SODIUM, POTASSIUM, CHLORIDE]],
    ['columns of panels with titles of their own, of which one begins while the other column goes on', [
      'Sodium                                  Estradiol',
      '140 mmol/L        Normal: 136 - 145     58.1 pg/mL        Normal: 12.5 - 498.0',
      'Potassium                               Prolactin',
      '5.3 mmol/L High   Normal: 3.5 - 5.1     31.6 ng/mL        Normal: 4.8 - 33.4',
      'Chloride                                  Urine Screen',
      '101 mmol/L        Normal: 98 - 107      Specific gravity',
      '  Diabetes                              1.031 High        Normal: 1.005 - 1.030',
      'Hemoglobin A1c                          Nitrite',
      '5.9 % High        Normal: 4.8 - 5.6     Negative          Normal: Negative',
    ], [SODIUM, POTASSIUM, CHLORIDE,
      ['Hemoglobin A1c', '5.9', '%', '4.8 - 5.6', 'High'],
      ['Estradiol', '58.1', 'pg/mL', '12.5 - 498.0', null], ['Prolactin', '31.6', 'ng/mL', '4.8 - 33.4', null],
      ['Specific gravity', '1.031', null, '1.005 - 1.030', 'High'],
      ['Nitrite', 'Negative', null, 'Negative', null]]],
    ['one below the other', [
      'Sodium',
      'Normal range: 136 - 145 mmol/L',
      '           Value',
      '           140',
      '136                  145',
      '',
      'CO2',
      'Normal range: 22 - 29 mmol/L',
      'Value',
      '21 Low',
      '22                   29',
    ], [SODIUM, CO2]],
    ['the range below the value', [
      'Sodium                                  Potassium',
      'Your value: 140 mmol/L                  Your value: 5.3 mmol/L  High',
      'Standard range: 136 - 145 mmol/L        Standard range: 3.5 - 5.1 mmol/L',
    ], [SODIUM, POTASSIUM]],
    ['cards of unlike height, some without a range', [
      'Sodium                                  Neutrophils %',
      'Normal range: 136 - 145 mmol/L          Value 68.2 %',
      'Value 140',
      '',
      'Chloride                                Monocytes %',
      'Normal range: 98 - 107 mmol/L           Value 7.5 %',
      'Value 101',
    ], [SODIUM, CHLORIDE, ['Neutrophils %', '68.2', '%', null, null], ['Monocytes %', '7.5', '%', null, null]]],
    ['values in words', [
      'Color, Urine                            Appearance, Urine',
      'Normal value: Yellow                    Normal value: Clear',
      'Value Yellow                            Value Cloudy Abnormal',
      '',
      'Glucose, Urine                          pH, Urine',
      'Normal value: Negative                  Normal range: 5.0 - 8.0',
      'Value Negative                          Value 6.0',
    ], [
      ['Color, Urine', 'Yellow', null, 'Yellow', null],
      ['Glucose, Urine', 'Negative', null, 'Negative', null],
      ['Appearance, Urine', 'Cloudy', null, 'Clear', 'Abnormal'],
      ['pH, Urine', '6.0', null, '5.0 - 8.0', null],
    ]],
  ];

  it('have the value in larger print than the name, a badge next to it and the range below', () => {
    const page = pageOf([
      'Tiroide',
      'Tireoglobulina',
      '2,2 ng/mL                                Basso',
      'Intervallo: 3,5 - 77,0 ng/mL',
      '',
      'Emostasi',
      'D-dimero',
      '< 190 ng/mL',
      'Intervallo: < 500 ng/mL',
      '',
      'Feci',
      'Sangue occulto fecale (FOB), 1° campione',
      'Negativo',
      'Intervallo: Negativo',
    ]);
    const large = new Set(
      page.words.filter(({ text }) => /^(?:2,2|190|Negativo)$/.test(text)).map(({ box }) => box.y0),
    );
    const small = (y0: number) => page.words.some(({ text, box }) => box.y0 === y0 && text === 'Intervallo:');
    const words = page.words.map((word) => {
      if (word.text === 'Basso')
        return { ...word, box: { ...word.box, y0: word.box.y0 - 2, y1: word.box.y1 - 5 }, fontSize: 7 };
      return large.has(word.box.y0) && !small(word.box.y0) ? { ...word, fontSize: 14 } : word;
    });
    const lines = readReport([{ ...page, words }]).results.map((line) => [
      line.panel,
      line.testName,
      line.printedValue,
      line.referenceRange,
      line.flag,
    ]);
    expect(lines).toEqual([
      ['Tiroide', 'Tireoglobulina', '2,2', '3,5 - 77,0', 'Basso'],
      ['Emostasi', 'D-dimero', '< 190', '< 500', null],
      ['Feci', 'Sangue occulto fecale (FOB), 1° campione', 'Negativo', 'Negativo', null],
    ]);
  });

  it.each(PAGES)('%s', (_, lines, expected) => {
    expect(found(lines)).toEqual(expected);
  });
});
