import { describe, expect, it } from 'vitest';
import { pageOf } from '../../test/page-of.ts';
import { readReport } from './read.ts';

const found = (...lines: string[]) =>
  readReport([pageOf(lines)]).results.map((line) => [
    line.testName,
    line.printedValue,
    line.unit,
    line.referenceRange,
    line.panel,
  ]);

// prettier-ignore
const BESIDE = [
  '             BLOOD COUNT                                  ROUTINE URINE',
  'Test           Result    Normal        Unit',
  'Haemoglobin    128       120 - 160     g/L           Colour              Straw',
  'WBC            7.1       4.0 - 10.0    x 10^9/L      Turbidity           Slightly cloudy',
  'Platelets      221       150 - 400     x 10^9/L      Specific gravity    1.020',
  'Neutrophils    0.61      0.50 - 0.70                 pH                  5.5',
  'Lymphocytes    0.31      0.20 - 0.40                 Protein             Negative',
  '                                                     Glucose             Negative',
  '                                                     Pus cells           2 - 4 /hpf',
  'Remarks: nothing of what was measured needs to be repeated before the next visit of the patient.',
];

describe('two tables side by side', () => {
  it('reads the table without headings, too', () => {
    const lines = found(...BESIDE);
    expect(lines).toHaveLength(12);
    expect(lines.slice(0, 2)).toEqual([
      ['Haemoglobin', '128', 'g/L', '120 - 160', 'BLOOD COUNT'],
      ['WBC', '7.1', 'x 10^9/L', '4.0 - 10.0', 'BLOOD COUNT'],
    ]);
    expect(lines.slice(5)).toEqual([
      ['Colour', 'Straw', null, null, 'ROUTINE URINE'],
      ['Turbidity', 'Slightly cloudy', null, null, 'ROUTINE URINE'],
      ['Specific gravity', '1.020', null, null, 'ROUTINE URINE'],
      ['pH', '5.5', null, null, 'ROUTINE URINE'],
      ['Protein', 'Negative', null, null, 'ROUTINE URINE'],
      ['Glucose', 'Negative', null, null, 'ROUTINE URINE'],
      ['Pus cells', '2 - 4', '/hpf', null, 'ROUTINE URINE'],
    ]);
  });

  it('reads the table without headings on the left, with a remark that crosses into the other', () => {
    const lines = found(
      '     ROUTINE URINE                             BLOOD COUNT',
      '                                               Test           Result    Normal        Unit',
      'Colour              Straw                      Haemoglobin    128       120 - 160     g/L',
      'Turbidity           Slightly cloudy            WBC            7.1       4.0 - 10.0    x 10^9/L',
      'Seen through a microscope at 400x, and counted twice by two',
      'pH                  5.5                        Platelets      221       150 - 400     x 10^9/L',
      'Bilirubin           Negative                   Neutrophils    0.61      0.50 - 0.70',
      'Protein             Negative                   Lymphocytes    0.31      0.20 - 0.40',
      'Glucose             Negative',
    );
    expect(lines.map(([name, value, unit]) => [name, value, unit])).toEqual([
      ['Colour', 'Straw', null],
      ['Turbidity', 'Slightly cloudy', null],
      ['pH', '5.5', null],
      ['Bilirubin', 'Negative', null],
      ['Protein', 'Negative', null],
      ['Glucose', 'Negative', null],
      ['Haemoglobin', '128', 'g/L'],
      ['WBC', '7.1', 'x 10^9/L'],
      ['Platelets', '221', 'x 10^9/L'],
      ['Neutrophils', '0.61', null],
      ['Lymphocytes', '0.31', null],
    ]);
  });

  it('reads a full-width table below them', () => {
    const lines = found(
      ...BESIDE.slice(0, -1),
      'Test                     Result              Unit     Reference',
      'Creatinine               88                  umol/L   60 - 110',
      'Sodium                   140                 mmol/L   136 - 145',
    );
    expect(lines.slice(-2)).toMatchObject([
      ['Creatinine', '88', 'umol/L', '60 - 110', expect.anything()],
      ['Sodium', '140', 'mmol/L', '136 - 145', expect.anything()],
    ]);
  });

  it('keeps method names in their column', () => {
    const lines = found(
      'Test           Result    Normal        Unit         Method          Run',
      'Sodium         140       136 - 145     mmol/L       ISE             1',
      'Potassium      4.1       3.5 - 5.1     mmol/L       ISE direct      2',
      'Glucose        5.0       3.9 - 5.6     mmol/L       Hexokinase      3',
      'Calcium        2.31      2.15 - 2.50   mmol/L       Arsenazo        4',
      'Urea           5.5       2.5 - 7.1     mmol/L       Urease          5',
    );
    expect(lines.map(([name]) => name)).toEqual(['Sodium', 'Potassium', 'Glucose', 'Calcium', 'Urea']);
  });
});
