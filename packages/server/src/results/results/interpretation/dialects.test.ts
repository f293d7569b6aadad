import { describe, expect, it } from 'vitest';
import { readReports } from '../../../adapters/lab-network/hl7/read-report.ts';
import type { ExpectedResult, LabReport, RequestedTest } from '../../../adapters/lab-network/port.ts';
import { interpretReport } from './interpretation.ts';

const expectedOf = (
  name: string,
  providerId: string,
  more: Partial<ExpectedResult> = {},
): ExpectedResult => ({
  name,
  slug: name.toLowerCase(),
  loinc: null,
  loincSlug: null,
  providerId,
  unit: 'mg/dL',
  kind: 'numeric',
  decimals: 0,
  low: null,
  high: null,
  rangeText: null,
  criticalLow: 4,
  criticalHigh: 450,
  normalText: null,
  abnormalText: null,
  ...more,
});

const testOf = (
  markerId: number,
  providerId: string,
  expected: readonly ExpectedResult[],
): RequestedTest => ({
  markerId,
  providerId,
  name: providerId,
  slug: providerId.toLowerCase(),
  expected,
});

const CHEMISTRY = testOf(1, 'BMP', [
  expectedOf('Glucose', 'G1'),
  expectedOf('Sodium', 'N1', { unit: 'mmol/L' }),
]);
const BLOOD = testOf(2, 'CBC', [expectedOf('Hemoglobin', 'H1', { unit: 'g/dL' })]);

const MSH = 'MSH|^~\\&|LIS|LAB|US|HERE|20260302150000-0500||ORU^R01^ORU_R01|M1|P|2.5.1';
const obr = (code: string) => `OBR|1|P1|F1|${code}^${code} panel^L|||202603010800|||||||||||||||20260302|||F`;
const OBR = obr('BMP');

/** What a message of the laboratory comes to, for a woman of whom both panels were ordered. */
function read(lines: readonly string[]): LabReport {
  const at = {
    lab: 'labcorp',
    accountNumber: null,
    timeZone: 'UTC',
    arrivedAt: new Date('2026-03-02T15:00:00Z'),
  };
  const [report] = readReports(Buffer.from([MSH, ...lines].join('\r')), at);
  if (!report) throw new Error('No report');
  return interpretReport(report, [CHEMISTRY, BLOOD], { dob: '1985-12-10', gender: 'female' });
}

describe('a value and its reference range', () => {
  // prettier-ignore
  it.each([
    // result      range                    interpretation  bounds          of the range
    ['mmol/L',     '70-99 mg/dL',           'unknown',      null],
    ['mmol/L',     '70 mg/dL - 99 mg/dL',   'unknown',      null],
    ['mmol/L',     '[70, 99) mg/dL',        'unknown',      null],
    ['mmol/L',     '<99 mg/dL',             'unknown',      null],
    ['mmol/L',     '99 mg/dL or less',      'unknown',      null],
    ['mmol/L',     'M: 70-99 mg/dL F: 60-90 mg/dL', 'unknown', null],
    ['foo',        '70-99 mg/dL',           'unknown',      null],
    ['mg/dL',      '70-99 mg/dL',           'abnormal',     [70, 99]],
    ['MG/DL',      '70-99 mg/dL',           'abnormal',     [70, 99]],
    ['mg/dL',      '70-99',                 'abnormal',     [70, 99]],
    ['mg/dL (calc)', '70-99 mg/dL',         'abnormal',     [70, 99]],
    ['% of total Hgb', '<5.7 %',            'normal',       [null, 5.7]],
    ['IU/L',       '1-10 U/L',              'normal',       [1, 10]],
    ['K/uL',       '1-10 x10E9/L',          'normal',       [1, 10]],
    [null,         '1-10 mg/dL',            'normal',       [1, 10]],
  ])('in %s is held against %s only where the two are of one size', (unit, referenceRange, interpretation, bounds) => {
    const [result] = read([OBR, `OBX|1|NM|G1^Glucose^L||5.4|${unit ?? ''}|${referenceRange}||||F`]).results;
    expect(result).toMatchObject({ interpretation, referenceRange });
    expect(result?.bounds && [result.bounds.min, result.bounds.max]).toEqual(bounds);
    const isToldOf = result?.notes?.includes('Its reference range is in ') ?? false;
    expect([isToldOf, result?.isAbove === null]).toEqual(bounds === null ? [true, true] : [false, false]);
  });

  it('of different units have the laboratory’s own flag', () => {
    const [result] = read([OBR, 'OBX|1|NM|G1^Glucose^L||5.4|mmol/L|70-99 mg/dL|N|||F']).results;
    expect(result).toMatchObject({ interpretation: 'normal', isAbove: null, isBelow: null, bounds: null });
  });
});

const shownOf = ({ results }: LabReport) =>
  results.map(({ expected, result }) => `${expected.name}=${result}`);
const whyMissing = ({ missing }: LabReport) =>
  missing.map(({ expected, failureType, note }) => [expected.name, failureType, note]);

describe('a note below a panel', () => {
  const GLUCOSE = 'OBX|1|NM|G1^Glucose^L||90|mg/dL||||||F';

  it('is of that panel, by its name where the report has several', () => {
    const note = 'NTE|1|L|Specimen slightly hemolyzed';
    const { notes } = read(['PID|1||7', 'NTE|1|L|About Ada', OBR, note, GLUCOSE, obr('CBC')]);
    expect(notes).toEqual(['About Ada', 'Specimen slightly hemolyzed']);
    const blood = [obr('CBC'), 'OBX|1|NM|H1^Hemoglobin^L||13|g/dL||||||F'];
    expect(read([OBR, note, GLUCOSE, ...blood]).notes).toEqual(['BMP panel: Specimen slightly hemolyzed']);
  });

  it('is no reason for results missing from another panel', () => {
    const lines = [OBR, 'NTE|1|L|QNS for sodium', GLUCOSE, obr('CBC'), 'OBX|1|NM|X1^Extra^L||1||||||F'];
    expect(whyMissing(read(lines))).toEqual([
      ['Sodium', 'quantity_not_sufficient_failure', 'QNS for sodium'],
      ['Hemoglobin', 'unknown_failure', null],
    ]);
    const said = [OBR, 'NTE|1|L|Tube clotted', GLUCOSE, obr('CBC'), 'OBX|1|NM|H1^Hemoglobin^L||TNP||||||F'];
    expect(whyMissing(read(said))).toEqual([
      ['Hemoglobin', 'unknown_failure', 'TNP'],
      ['Sodium', 'collection_process_failure', 'Tube clotted'],
    ]);
  });

  it('is a reason for all that was ordered where the laboratory answers under a code of its own', () => {
    const { missing } = read([obr('REQ'), 'NTE|1|L|Specimen QNS', GLUCOSE]);
    expect(missing.map(({ failureType }) => failureType)).toEqual([
      'quantity_not_sufficient_failure',
      'quantity_not_sufficient_failure',
    ]);
  });
});

describe('an observation about a specimen', () => {
  const GLUCOSE = 'OBX|1|NM|G1^Glucose^L||90|mg/dL||||||F';
  const SPM = 'SPM|1|S1||SER';

  it('is a note, not a result', () => {
    const report = read([
      OBR,
      GLUCOSE,
      SPM,
      'OBX|1|NM|SV^Specimen volume^L||2|mL|||||F',
      'OBX|2|CWE|SC^Specimen condition^L||HEM^Hemolyzed^L||||||F',
    ]);
    expect(shownOf(report)).toEqual(['Glucose=90']);
    expect(report.notes).toEqual(['Specimen volume: 2 mL', 'Specimen condition: Hemolyzed']);
  });

  it('is a result where it is what was ordered, and nothing else is', () => {
    expect(shownOf(read([OBR, GLUCOSE, SPM, 'OBX|2|NM|N1^Sodium^L||140|mmol/L|||||F']))).toEqual([
      'Glucose=90',
      'Sodium=140',
    ]);
    const twice = read([OBR, GLUCOSE, SPM, 'OBX|2|NM|G1^Glucose^L||5|mg/dL|||||F']);
    expect([shownOf(twice), twice.notes]).toEqual([['Glucose=90'], ['Glucose: 5 mg/dL']]);
  });

  it('follows the results: a specimen before them belongs to them', () => {
    const extra = 'OBX|2|NM|X1^Extra^L||1||||||F';
    expect(shownOf(read([OBR, SPM, GLUCOSE, extra]))).toEqual(['Glucose=90', 'Extra=1']);
    expect(shownOf(read([OBR, GLUCOSE, SPM, obr('CBC'), extra]))).toEqual(['Glucose=90', 'Extra=1']);
  });

  it('is distinguished from a result by OBX-29, like answers at order entry', () => {
    const of = (type: string) => `OBX|2|ST|X1^Fasting^L||Yes||||||F${'|'.repeat(18)}${type}`;
    expect(shownOf(read([OBR, GLUCOSE, SPM, of('RSLT')]))).toEqual(['Glucose=90', 'Fasting=Yes']);
    const report = read([OBR, GLUCOSE, of('AOE'), obr('CBC'), of('RSLT')]);
    expect([shownOf(report), report.notes]).toEqual([['Glucose=90', 'Fasting=Yes'], ['Fasting: Yes']]);
  });

  it.each(['QST', 'SCI', 'QST|AOE', '|AOE', '|ASC'])('is recognized by OBX-29 and 30 of %j', (types) => {
    const report = read([OBR, GLUCOSE, `OBX|2|ST|X1^Fasting^L||Yes||||||F${'|'.repeat(18)}${types}`]);
    expect([shownOf(report), report.notes]).toEqual([['Glucose=90'], ['Fasting: Yes']]);
  });
});

describe('the laboratory that performed a test', () => {
  const SITES = [
    'ZPS|1|BN|Lab of Burlington|1 York Ct^^Burlington^NC^27215||Curie^Marie^^^^MD|8005551212|34D0655059',
    'ZPS|2|TA|Lab of Tampa|5 Elm St^^Tampa^FL^33634|CLIA#10D0645791',
  ];
  const obx = (site: string, more = '') =>
    `OBX|1|NM|G1^Glucose^L||90|mg/dL|||||F|||202603010900|${site}${more}`;

  // prettier-ignore
  it.each([
    ['BN',              '',               SITES,             'Lab of Burlington', '34D0655059'],
    ['TA^^L',           '',               SITES,             'Lab of Tampa',      '10D0645791'],
    ['TA^Tampa Lab^L',  '',               SITES,             'Tampa Lab',         '10D0645791'],
    ['XX',              '',               SITES,             'XX',                null],
    ['BN',              '||||||||Lab One', SITES,            'Lab One',           '34D0655059'],
    ['',                '',               SITES.slice(0, 1), 'Lab of Burlington', '34D0655059'],
    ['',                '',               SITES,             'LAB',               null],
    ['BN',              '',               [],                'BN',                null],
  ])('is %j%s by the sites that the message names', (site, more, sites, name, clia) => {
    const report = read([OBR, obx(site, more), ...sites]);
    expect(report.results.map(({ performingLaboratory: by }) => by)).toEqual([name]);
    expect(report.clia).toBe(clia);
  });
});

describe('a drug of an isolate that is reported in another OBR', () => {
  const child = (subId: string, organism = '') =>
    `OBR|2|P1|F1|SUS^Susceptibility^L|||202603010800|||||||||||||||20260302|||F|ORG&Organism&L^${subId}^${organism}|||F1`;
  const ISOLATES = [
    obr('CUL'),
    'OBX|1|CWE|ORG^Organism^L|1|ECO^Escherichia coli^L||||||F',
    'OBX|2|CWE|ORG^Organism^L|2|KPN^Klebsiella pneumoniae^L||||||F',
  ];
  const drug = (value: string, subId = '') => `OBX|1|ST|AMP^Ampicillin^L|${subId}|${value}||||||F`;

  it('names its isolate', () => {
    const { results } = read([
      ...ISOLATES,
      child('1'),
      drug('R'),
      child('2', 'K. pneumoniae'),
      drug('S', '1'),
    ]);
    expect(results.map(({ expected, result, notes }) => [expected.name, result, notes])).toEqual([
      ['Organism', 'Escherichia coli', null],
      ['Organism', 'Klebsiella pneumoniae', null],
      ['Ampicillin', 'R', 'Organism 1: Escherichia coli'],
      ['Ampicillin', 'S', 'Organism 2: K. pneumoniae'],
    ]);
  });

  it('is ignored while it is only announced', () => {
    expect(shownOf(read([...ISOLATES, child('1'), 'OBX|1|ST|AMP^Ampicillin^L||||||||P']))).toEqual([
      'Organism=Escherichia coli',
      'Organism=Klebsiella pneumoniae',
    ]);
  });
});

// prettier-ignore
it.each([
  ['mg/dL',                               'mg/dL'],
  ['mg/dL^milligrams per deciliter^UCUM', 'mg/dL'],
  ['^mg/dL',                              'mg/dL'],
  ['MGDL^mg/dL^L',                        'mg/dL'],
  ['PCT^%^L',                             '%'],
  ['1^mg/dL^99LAB',                       'mg/dL'],
  ['X^milligrams^L^mg/dL^mg/dL^UCUM',     'mg/dL'],
  ['K/uL^thousand per microliter^L',      'K/uL'],
  ['ratio^per one^L',                     'ratio'],
])('the unit %s is %s', (unit, wanted) => {
  const [result] = read([OBR, `OBX|1|NM|G1^Glucose^L||90|${unit}|||||F`]).results;
  expect(result?.unit).toBe(wanted);
});
