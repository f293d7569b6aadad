import { describe, expect, it } from 'vitest';
import { readReports } from './read-report.ts';

const at = {
  lab: 'labcorp',
  accountNumber: null,
  timeZone: 'UTC',
  arrivedAt: new Date('2026-03-02T15:00:00Z'),
};
/** OBX-2, OBX-5, OBX-6 and OBX-7 as they are read. */
function read(type: string, value: string, unit = '', range = '') {
  const text = [
    'MSH|^~\\&|LIS|LAB|US|HERE|20260302150000||ORU^R01|M1|P|2.5.1',
    'OBR|1|PLACER|FILLER|100^Panel^L',
    `OBX|1|${type}|G1^Glucose^L||${value}|${unit}|${range}||||F`,
  ].join('\r');
  const one = readReports(Buffer.from(text), at)[0]?.observations[0];
  if (!one) throw new Error('No observation');
  return { value: one.value, unit: one.unit, range: one.referenceRange };
}

describe('a unit', () => {
  // prettier-ignore
  it.each([
    ['10^3/uL', '10^3/uL'],               ['x10^9/L', 'x10^9/L'],          ['10^6', '10^6'],
    ['10^3/uL^10^3/uL^L', '10^3/uL'],     ['10^3/uL^thousand per microliter^L', '10^3/uL'],
    ['mL/min/1.73m^2', 'mL/min/1.73m^2'], ['kg/m^2', 'kg/m^2'],            ['cells/mm^3', 'cells/mm^3'],
    ['x10\\S\\3/uL', 'x10^3/uL'],         ['10*3/uL^10*3/uL^UCUM', '10*3/uL'],
    ['mg/dL^milligram^ISO+', 'mg/dL'],    ['MGDL^mg/dL^L', 'mg/dL'],       ['mg/dL', 'mg/dL'],
    ['^^^mg/dL^mg/dL^L', 'mg/dL'],       ['^^^MGDL^mg/dL^L', 'mg/dL'],    ['^^^^mmol^L', 'mmol'],
    ['^mg/dL', 'mg/dL'],                  ['10*3^thousand^UCUM', '10*3'],  ['', null],
  ])('%s is %s', (sent, unit) => expect(read('NM', '5', sent).unit).toBe(unit));
});

describe('a reference range', () => {
  // prettier-ignore
  it.each([
    ['70-99', '70-99'],               ['70^99', '70-99'],              ['^99', '<=99'],             ['70^', '>=70'],
    ['^^10.0', '<=10.0'],             ['4.0^^10.0', '4.0-10.0'],       ['<^10.0', '<10.0'],         ['>=^1^:^80', '>=1:80'],
    ['^4.0^-^10.0', '4.0-10.0'],      ['70^mg/dL^99^mg/dL', '70-99'],    ['70&mmol/L^99&mmol/L', '70-99 mmol/L'],
    ['70-99^mg/dL', '70-99 mg/dL'],   ['3.5&10.0', '3.5-10.0'],        ['4.5-11.0 x10^3/uL', '4.5-11.0 x10^3/uL'],
    ['10^12', '10-12'],               ['Negative^NEG', 'Negative NEG'], ['M: 13-17~F: 12-15', 'M: 13-17; F: 12-15'],
    ['>60', '>60'],                   ['Non Reactive', 'Non Reactive'], ['<^10.0^^^mg/dL', '<10.0'], ['', null],
  ])('%s is %s', (sent, range) => expect(read('NM', '5', 'mg/dL', sent).range).toBe(range));
});

describe('a value', () => {
  // prettier-ignore
  it.each([
    ['NM', '5.4', '5.4', null],                ['NM', '5.4^mg/dL', '5.4', 'mg/dL'],     ['NM', '^^10.0', '10.0', null],
    ['CQ', '5.4^mg/dL&milligram&ISO+', '5.4', 'mg/dL'],
    ['SN', '>^100', '>100', null],             ['SN', '^1^:^128', '1:128', null],       ['SN', '^2^+', '2+', null],
    ['SN', '=^5', '5', null],                  ['SN', '^5^^10', '5-10', null],          ['SN', '5^10', '5-10', null],
    ['SN', '<^5^^^mg/dL', '<5', 'mg/dL'],      ['SN', '<^^10.0', '<10.0', null],
    ['NR', '4.0^10.0', '4.0-10.0', null],      ['NR', '^10.0', '<=10.0', null],         ['NR', '4.0^', '>=4.0', null],
    ['VR', '5^10', '5-10', null],              ['DR', '20260301^20260304', '2026-03-01 - 2026-03-04', null],
    ['DR', '20260301', 'from 2026-03-01', null], ['DR', '^20260301', 'until 2026-03-01', null],
    ['TS', '202603010830^M', '2026-03-01 08:30', null], ['DT', '20260301', '2026-03-01', null], ['TM', '0830', '08:30', null],
    ['ST', '<^10', '<10', null],               ['ST', '^^10.0', '10.0', null],          ['TX', 'Grew 10^5 CFU/mL', 'Grew 10^5 CFU/mL', null],
    ['CWE', 'POS^Positive^L', 'Positive', null], ['XCN', '77^Putnam^Mary', '77 Putnam Mary', null],
  ])('of %s %s is %s', (type, sent, value, unit) =>
    expect(read(type, sent)).toMatchObject({ value, unit }));

  it('keeps a unit of its own that is not that of its field', () => {
    expect(read('NM', '5.4^mmol/L', 'mg/dL')).toMatchObject({ value: '5.4 mmol/L', unit: 'mg/dL' });
    expect(read('NM', '5.4^mg/dL', 'mg/dL')).toMatchObject({ value: '5.4', unit: 'mg/dL' });
  });
});
