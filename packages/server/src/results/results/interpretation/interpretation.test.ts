import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type {
  ExpectedResult,
  ReceivedObservation,
  ReceivedReport,
  RequestedTest,
} from '../../../adapters/lab-network/port.ts';
import { findFailureType, FAILURE_TYPES, isNotPerformedText } from './failure.ts';
import { interpretReport } from './interpretation.ts';
import { isSameUnit, toUcum } from './units.ts';
import { isUcum } from './ucum.ts';
import { parseValue } from './value.ts';

const expectedOf = (name: string, more: Partial<ExpectedResult> = {}): ExpectedResult => ({
  name,
  slug: name.toLowerCase().replace(/\W+/g, '-'),
  loinc: null,
  loincSlug: null,
  providerId: null,
  unit: 'mg/dL',
  kind: 'numeric',
  decimals: 0,
  low: null,
  high: null,
  rangeText: null,
  criticalLow: null,
  criticalHigh: null,
  normalText: null,
  abnormalText: null,
  ...more,
});

const glucose = expectedOf('Glucose', {
  providerId: 'G1',
  loinc: '2345-7',
  loincSlug: 'glucose-serum',
  criticalLow: 40,
  criticalHigh: 450,
});
const sodium = expectedOf('Sodium', { providerId: 'N1', loinc: '2951-2', unit: 'mmol/L' });
const egfr = expectedOf('eGFR', { providerId: 'E1', unit: 'mL/min/{1.73_m2}', required: false });
const culture = expectedOf('Culture', {
  providerId: 'C1',
  unit: null,
  kind: 'coded',
  normalText: 'No growth',
  abnormalText: 'Growth',
});

const panel: RequestedTest = {
  markerId: 1,
  providerId: 'BMP',
  name: 'Basic Metabolic Panel',
  slug: 'bmp',
  expected: [glucose, sodium, egfr],
};
const other: RequestedTest = {
  markerId: 2,
  providerId: 'GTT',
  name: 'Glucose',
  slug: 'glucose',
  expected: [glucose],
};
const cultures: RequestedTest = {
  markerId: 3,
  providerId: 'CUL',
  name: 'Culture',
  slug: 'culture',
  expected: [culture],
};

const observation = (more: Partial<ReceivedObservation>): ReceivedObservation => ({
  test: { code: 'BMP', name: 'Basic Metabolic Panel', loinc: null },
  code: 'G1',
  name: 'GLUCOSE',
  loinc: null,
  form: 'number',
  value: '88',
  unit: 'mg/dL',
  referenceRange: '70-99',
  flags: [],
  status: 'final',
  notes: [],
  performingLaboratory: null,
  observedAt: null,
  ...more,
});

const reportOf = (
  observations: ReceivedObservation[],
  more: Partial<ReceivedReport> = {},
): ReceivedReport => ({
  lab: 'quest',
  accountNumber: null,
  controlId: '1',
  placerOrderId: null,
  sampleIds: ['S1'],
  status: 'final',
  patient: null,
  collectedAt: new Date('2026-03-01T10:00:00Z'),
  receivedAt: null,
  reportedAt: new Date('2026-03-02T10:00:00Z'),
  laboratory: 'Quest Diagnostics',
  clia: '05D0642827',
  observations,
  notes: [],
  ...more,
});

const WOMAN = { dob: '1985-12-10', gender: 'female' };
const read = (observations: ReceivedObservation[], more: Partial<ReceivedReport> = {}, tests = [panel]) =>
  interpretReport(reportOf(observations, more), tests, WOMAN);
const readOne = (more: Partial<ReceivedObservation>) => read([observation(more)]).results[0];

// prettier-ignore
it.each([
  // form         printed                   type           value    printed beside it
  ['number',      '5.7',                    'numeric',     5.7,     ''],
  ['number',      '05.70',                  'numeric',     5.7,     ''],
  ['number',      '.5',                     'numeric',     0.5,     ''],
  ['number',      '-2.1',                   'numeric',     -2.1,    ''],
  ['number',      '−2.1',                   'numeric',     -2.1,    ''],
  ['number',      '+3',                     'numeric',     3,       ''],
  ['number',      '=5.7',                   'numeric',     5.7,     ''],
  ['structured',  '= 1,200 mg/dL (H)',      'numeric',     1200,    'mg/dL H'],
  ['structured',  '=<5',                    'range',       -1,      ''],
  ['number',      '1,234',                  'numeric',     1234,    ''],
  ['number',      '1,234,567.8',            'numeric',     1234567.8, ''],
  ['number',      '5,7',                    'numeric',     5.7,     ''],
  ['number',      '0,123',                  'numeric',     0.123,   ''],
  ['number',      '1.2E+03',                'numeric',     1200,    ''],
  ['text',        '1.2 x 10^3',             'numeric',     1200,    ''],
  ['text',        '5.7',                    'numeric',     5.7,     ''],
  ['text',        '5.7 H',                  'numeric',     5.7,     'H'],
  ['text',        '5.7 (H)',                'numeric',     5.7,     'H'],
  ['text',        'H 5.7',                  'numeric',     5.7,     'H'],
  ['text',        '105*',                   'numeric',     105,     '*'],
  ['text',        '7.4 mg/dL',              'numeric',     7.4,     'mg/dL'],
  ['text',        '7.4 mg/dL L',            'numeric',     7.4,     'mg/dL L'],
  ['text',        '12.5 s',                 'numeric',     12.5,    's'],
  ['text',        '5 10*3/uL',              'numeric',     5,       '10*3/uL'],
  ['text',        '105\n106',               'comment',     -1,      ''],
  ['text',        '98 102',                 'comment',     -1,      ''],
  ['text',        '12.0 x10E3/uL',          'numeric',     12,      'x10E3/uL'],
  ['text',        '>30.0 x10E3/uL',         'range',       -1,      'x10E3/uL'],
  ['structured',  '<1.2',                   'range',       -1,      ''],
  ['text',        '< 1.2',                  'range',       -1,      ''],
  ['text',        '<1.2 L',                 'range',       -1,      'L'],
  ['text',        '>1,000 ng/mL',           'range',       -1,      'ng/mL'],
  ['text',        '> OR = 200',             'range',       -1,      ''],
  ['text',        '≤0.3',                   'range',       -1,      ''],
  ['text',        'less than 5',            'range',       -1,      ''],
  ['structured',  '0-5',                    'range',       -1,      ''],
  ['text',        '<1:20',                  'range',       -1,      ''],
  ['structured',  '1:160',                  'coded_value', -1,      ''],
  ['coded',       'Positive',               'coded_value', -1,      ''],
  ['coded',       '5',                      'coded_value', -1,      ''],
  ['text',        'NEGATIVE',               'coded_value', -1,      ''],
  ['text',        '2+',                     'coded_value', -1,      ''],
  ['text',        'None seen',              'coded_value', -1,      ''],
  ['text',        'See note',               'comment',     -1,      ''],
  ['text',        'Sent to reference lab',  'comment',     -1,      ''],
  ['text',        '2024-01-02',             'comment',     -1,      ''],
  ['text',        '5 of 7 colonies',        'comment',     -1,      ''],
  ['text',        '',                       'comment',     -1,      ''],
] as const)('a %s of %j is %s, %d', (form, value, type, number, beside) => {
  const got = parseValue({ form, value });
  expect([got.type, got.value, [got.unit, ...got.flags].filter((part) => part !== null).join(' ')]).toEqual([type, number, beside]);
});

// prettier-ignore
const UNITS: readonly [string, string | null][] = [
  ['mg/dL', 'mg/dL'], ['MG/DL', 'mg/dL'], ['mg/dl', 'mg/dL'], ['mg / dL', 'mg/dL'], ['g/dL', 'g/dL'], ['GM/DL', 'g/dL'], ['mcg/dL', 'ug/dL'], ['µg/dL', 'ug/dL'], ['μg/L', 'ug/L'],
  ['ng/mL', 'ng/mL'], ['NG/ML', 'ng/mL'], ['pg/mL', 'pg/mL'], ['PG/ML', 'pg/mL'], ['PG', 'pg'], ['FL', 'fL'], ['fL', 'fL'], ['%', '%'], ['% of total', '%'], ['mmol/L', 'mmol/L'], ['MMOL/L', 'mmol/L'],
  ['mEq/L', 'meq/L'], ['MEQ/L', 'meq/L'], ['IU/L', '[IU]/L'], ['U/L', 'U/L'], ['Units/L', 'U/L'], ['mIU/L', 'm[IU]/L'], ['mIU/mL', 'm[IU]/mL'], ['uIU/mL', 'u[IU]/mL'], ['mcIU/mL', 'u[IU]/mL'], ['kU/L', 'k[IU]/L'], ['kU/l', 'k[IU]/L'],
  ['x10E3/uL', '10*3/uL'], ['X10E3/UL', '10*3/uL'], ['10^3/uL', '10*3/uL'], ['10*3/uL', '10*3/uL'], ['10E3/uL', '10*3/uL'], ['x10(3)/uL', null], ['K/uL', '10*3/uL'], ['K/mm3', '10*3/uL'], ['thou/mm3', '10*3/uL'], ['Thousand/uL', '10*3/uL'], ['THOUS/MCL', '10*3/uL'], ['x10E6/uL', '10*6/uL'], ['M/uL', '10*6/uL'], ['Million/uL', '10*6/uL'], ['10^9/L', '10*9/L'],
  ['cells/uL', '{cells}/uL'], ['mL/min/1.73m2', 'mL/min/{1.73_m2}'], ['mL/min/1.73', 'mL/min/{1.73_m2}'], ['mL/min/{1.73_m2}', 'mL/min/{1.73_m2}'], ['mL/min', 'mL/min'], ['mm/hr', 'mm/h'], ['MM/HR', 'mm/h'], ['sec', 's'], ['seconds', 's'], ['ratio', '{ratio}'], ['{ratio}', '{ratio}'], ['(calc)', '{calc}'],
  ['mcg/24 h', 'ug/(24.h)'], ['mg/24hr', 'mg/(24.h)'], ['mg/g creat', 'mg/g{creat}'], ['mcg/mg creat', 'ug/mg{creat}'], ['nmol/mmol{creat}', 'nmol/mmol{creat}'], ['/HPF', '/[HPF]'], ['/hpf', '/[HPF]'], ['per HPF', '/[HPF]'], ['/100 WBC', '/100{WBC}'], ['mOsm/kg', 'mosm/kg'], ['pH', '[pH]'], ['pH units', '[pH]'], ['INR', '{INR}'], ['S/CO', '{s_co_ratio}'], ['copies/mL', '{copies}/mL'], ['log IU/mL', '{log_IU}/mL'],
  ['mmHg', 'mm[Hg]'], ['mg/L FEU', null], ['mcg/mL FEU', null], ['k[IU]/L', 'k[IU]/L'], ["[arb'U]/mL", "[arb'U]/mL"], ['{Spec grav}', '{Spec_grav}'], ['{Index_val}', '{index}'], ["[GPL'U]", "[GPL'U]"], ['U/g{Hb}', 'U/g{Hb}'], ['CFU/mL', '[CFU]/mL'], ['%{basal_activity}', '%{basal_activity}'],
  ['', null], ['see note', null], ['n/a', null], ['Kelvin of old', null], ['K', null], ['1-1-1-1-1-1-1-1-1', null], ['fasting', null],
];
describe('units', () => {
  it.each(UNITS)('%j are %s', (printed, wanted) => expect(toUcum(printed)).toBe(wanted));
  it('are valid UCUM, whichever they are', () => {
    const codes = new Set(UNITS.flatMap(([, code]) => code ?? []));
    expect([...codes].filter((code) => !isUcum(code))).toEqual([]);
  });
  // prettier-ignore
  it.each([
    ['x10E3/uL', '10*3/uL', true], ['10^9/L', 'K/uL', true], ['ng/mL', 'ug/L', true], ['IU/L', 'U/L', true], ['uIU/mL', 'mIU/L', true], ['kU/L', 'k[IU]/L', true],
    ['mg/dL', 'mmol/L', false], ['mg/dL', 'g/dL', false], ['mg/dL', 'made up', null], ['made up', 'made up', true], [null, 'mg/dL', null],
  ])('%s and %s are of one size: %s', (one, other, wanted) => expect(isSameUnit(one, other)).toBe(wanted));
});

// prettier-ignore
const SAID: readonly [string, (typeof FAILURE_TYPES)[number]][] = [
  ['QNS', 'quantity_not_sufficient_failure'], ['Quantity not sufficient', 'quantity_not_sufficient_failure'], ['TEST NOT PERFORMED. Quantity not sufficient for analysis.', 'quantity_not_sufficient_failure'], ['TNP - QNS', 'quantity_not_sufficient_failure'], ['Insufficient specimen', 'quantity_not_sufficient_failure'], ['Specimen quantity insufficient to complete testing', 'quantity_not_sufficient_failure'],
  ['Insufficient volume', 'insufficient_volume'], ['Insufficient blood volume', 'insufficient_volume'], ['Tube underfilled', 'insufficient_volume'], ['Short draw; test not performed', 'insufficient_volume'],
  ['Specimen hemolyzed', 'collection_process_failure'], ['Grossly hemolyzed specimen', 'collection_process_failure'], ['Specimen clotted', 'collection_process_failure'], ['Clotted', 'collection_process_failure'], ['Wrong tube', 'collection_process_failure'], ['Incorrect tube type received', 'collection_process_failure'], ['No specimen received', 'collection_process_failure'], ['No lavender tube received', 'collection_process_failure'], ['Specimen not received', 'collection_process_failure'], ['Unlabeled specimen', 'collection_process_failure'], ['Specimen contaminated', 'collection_process_failure'],
  ['Stability exceeded', 'drop_off_failure'], ['Specimen exceeds stability', 'drop_off_failure'], ['Specimen too old', 'drop_off_failure'], ['Specimen received thawed', 'drop_off_failure'], ['Sample leaked in transit', 'drop_off_failure'], ['Improper temperature', 'drop_off_failure'], ['Specimen lost in transit', 'drop_off_failure'],
  ['Lab accident', 'internal_lab_failure'], ['Laboratory accident; specimen destroyed', 'internal_lab_failure'], ['Instrument failure', 'internal_lab_failure'], ['Reagent shortage', 'internal_lab_failure'], ['Technical problem', 'internal_lab_failure'], ['Specimen lost', 'internal_lab_failure'], ['Invalid result', 'internal_lab_failure'],
  ['Ordered in error', 'order_entry_failure'], ['Duplicate order', 'order_entry_failure'], ['Wrong test ordered', 'order_entry_failure'], ['Test code not found', 'order_entry_failure'], ['Test discontinued', 'order_entry_failure'],
  ['Patient not fasting', 'patient_condition_failure'], ['Specimen grossly lipemic', 'patient_condition_failure'], ['Icteric specimen', 'patient_condition_failure'], ['Biotin interference', 'patient_condition_failure'],
  ['Unable to calculate', 'missing_result_calc_failure'], ['Cannot be calculated: triglycerides above 400', 'missing_result_calc_failure'], ['Not calculated', 'missing_result_calc_failure'],
  ['AOE missing', 'missing_demo_aoe_calc_failure'], ['Patient age not provided', 'missing_demo_aoe_calc_failure'], ['Unable to calculate: sex not stated', 'missing_demo_aoe_calc_failure'],
  ['Cancelled per client request', 'non_failure'], ['Canceled by physician', 'non_failure'], ['Reflex criteria not met', 'non_failure'], ['Not indicated', 'non_failure'],
  ['TNP', 'unknown_failure'], ['Test not performed', 'unknown_failure'], ['Cancelled', 'unknown_failure'], ['CANCELED', 'unknown_failure'], ['Not done', 'unknown_failure'],
];
describe('what laboratories write where there is no result', () => {
  it.each(SAID)('%j means %s', (said, wanted) => {
    const result = read([
      observation({ form: 'text', value: said, unit: null }),
      observation({ code: 'N1', name: 'Sodium' }),
    ]);
    expect(
      result.missing.map(({ expected, failureType, note }) => [expected.slug, failureType, note]),
    ).toEqual([['glucose', wanted, said]]);
  });
  it('names every kind of failure', () =>
    expect(new Set(SAID.map(([, type]) => type)).size).toBe(FAILURE_TYPES.length));
  // prettier-ignore
  it.each(['Negative', 'Positive. Confirmation not performed.', 'See note', '5.7', 'Yellow', 'No growth', 'Not detected', 'None seen', 'No abnormality found', 'Normal flora', 'Results called to Dr. Hall'])(
    '%j is a result', (said) => expect(isNotPerformedText(said)).toBe(false));
  // prettier-ignore
  it.each(['Result: Not Detected', 'Specimen is not reactive for HIV', 'Analysis does not show a monoclonal protein', 'Testing did not detect a mutation', 'Specimen adequate, endocervical component not identified', 'Results not suggestive of Lyme disease', 'Insufficient immunity', 'Exceeds 1000 copies'])(
    '%j is what was found, and not the reason why nothing was', (value) => {
      const under = { code: 'CUL', name: 'Culture', loinc: null };
      const { results, missing } = read([observation({ test: under, code: 'C1', form: 'text', value })], {}, [cultures]);
      expect([results.map(({ result }) => result), missing]).toEqual([[value], []]);
    });
  // prettier-ignore
  it.each(['Specimen not suitable for testing', 'Test could not be performed', 'Sample was not able to be processed', 'Specimen has not been received', 'The sample cannot be tested', 'Assay not available', 'Specimen clotted', 'Insufficient specimen', 'Exceeds stability'])(
    '%j says that there is none', (said) => expect(isNotPerformedText(said)).toBe(true));
  it('finds no cause in text without one', () =>
    expect(findFailureType('Results verified by repeat')).toBeNull());
});

// prettier-ignore
const FLAGGED: readonly [Partial<ReceivedObservation>, string, string | null][] = [
  // observation                                              interpretation  the laboratory's own
  [{ value: '88' },                                            'normal',       null],
  [{ value: '120' },                                           'abnormal',     null],
  [{ value: '60' },                                            'abnormal',     null],
  [{ value: '99' },                                            'normal',       null],
  [{ value: '460' },                                           'critical',     null],
  [{ value: '35' },                                            'critical',     null],
  [{ value: '=460', form: 'structured' },                      'critical',     null],
  [{ value: '460', unit: 'mmol/L' },                           'abnormal',     null],
  [{ value: '88', referenceRange: null },                      'unknown',      null],
  [{ value: '600', referenceRange: null },                     'critical',     null],
  [{ value: '120', flags: ['N'] },                             'normal',       'normal'],
  [{ value: '88', flags: ['H'] },                              'abnormal',     'abnormal'],
  [{ value: '88', flags: ['L'] },                              'abnormal',     'abnormal'],
  [{ value: '88', flags: ['A'] },                              'abnormal',     'abnormal'],
  [{ value: '88', flags: ['HH'] },                             'critical',     'critical'],
  [{ value: '88', flags: ['LL'] },                             'critical',     'critical'],
  [{ value: '88', flags: ['aa'] },                             'critical',     'critical'],
  [{ value: '120', flags: ['>'] },                             'abnormal',     'abnormal'],
  [{ value: '500', flags: ['>'] },                             'critical',     'critical'],
  [{ value: '20', flags: ['<'] },                              'critical',     'critical'],
  [{ value: '120', flags: ['H', 'U'] },                        'abnormal',     'abnormal'],
  [{ value: '120', flags: ['U'] },                             'abnormal',     null],
  [{ value: '88', flags: ['D'] },                              'normal',       null],
  [{ value: '88', flags: ['null'] },                           'normal',       null],
  [{ value: '88', flags: ['B'] },                              'normal',       null],
  [{ value: '88', flags: ['W'] },                              'normal',       null],
  [{ value: '88', flags: ['S'] },                              'normal',       'normal'],
  [{ value: '88', flags: ['R'] },                              'abnormal',     'abnormal'],
  [{ value: '88', flags: ['I'], referenceRange: null },        'unknown',      null],
  [{ value: '120 H', form: 'text' },                           'abnormal',     'abnormal'],
  [{ value: '<40', form: 'structured' },                       'critical',     null],
  [{ value: '<70', form: 'structured' },                       'abnormal',     null],
  [{ value: '<80', form: 'structured' },                       'unknown',      null],
  [{ value: '>99', form: 'structured' },                       'abnormal',     null],
  [{ value: '>500', form: 'structured' },                      'critical',     null],
  [{ value: '<70', form: 'structured', referenceRange: '<70' }, 'normal',      null],
  [{ value: '<0.1', form: 'structured', unit: 'mmol/L', referenceRange: '0.0-0.5' }, 'normal', null],
  [{ value: '<0.5', form: 'structured', unit: 'mmol/L', referenceRange: '0.0-0.5' }, 'normal', null],
  [{ value: '<1', form: 'structured', unit: 'mmol/L', referenceRange: '0.0-0.5' }, 'unknown',  null],
  [{ value: '<0', form: 'structured', unit: 'mmol/L', referenceRange: '0.0-0.5' }, 'abnormal', null],
  [{ value: '<-1', form: 'structured', unit: 'mmol/L', referenceRange: '-2.0-2.0' }, 'unknown', null],
  [{ value: '1:160', form: 'text', unit: null, referenceRange: '<1:20' }, 'abnormal', null],
  [{ value: '<1:20', form: 'text', unit: null, referenceRange: '<1:20' }, 'normal', null],
  [{ value: 'Negative', form: 'text', unit: null, referenceRange: 'Negative' }, 'normal', null],
  [{ value: 'NOT DETECTED', form: 'coded', unit: null, referenceRange: 'Negative' }, 'normal', null],
  [{ value: 'Positive', form: 'coded', unit: null, referenceRange: 'Negative' }, 'abnormal', null],
  [{ value: 'Trace', form: 'text', unit: null, referenceRange: 'Negative' }, 'abnormal', null],
  [{ value: 'Equivocal', form: 'text', unit: null, referenceRange: 'Negative' }, 'unknown', null],
  [{ value: 'Positive', form: 'text', unit: null, referenceRange: 'See below' }, 'unknown', null],
  [{ value: 'See note', form: 'text', unit: null, referenceRange: null }, 'unknown', null],
  [{ value: '12.5', unit: 'g/dL', referenceRange: 'M: 13-17 F: 12-15' },     'normal',       null],
  [{ value: '16', unit: 'g/dL', referenceRange: 'M: 13-17 F: 12-15' },       'abnormal',     null],
];
it.each(FLAGGED)('%j is %s', (given, interpretation, own) => {
  expect(readOne(given)).toMatchObject({ interpretation, sourceInterpretation: own });
});

// prettier-ignore
it.each([
  // observation                                                        above  below
  [{ value: '105', flags: ['H'], referenceRange: 'See note' },          true,  false],
  [{ value: '105', flags: ['LL'], referenceRange: null },               false, true],
  [{ value: '<80', form: 'structured' as const, flags: ['L'] },         false, true],
  [{ value: '105', flags: ['L'] },                                      true,  false],
  [{ value: '105', flags: ['A'], referenceRange: 'See note' },          null,  null],
  [{ value: '105', flags: ['>'], referenceRange: 'See note' },          null,  null],
  [{ value: 'Positive', form: 'text' as const, flags: ['H'], referenceRange: 'Negative' }, null, null],
])('%j is above: %s, below: %s: by its range, and where that does not tell, by the flag', (given, isAbove, isBelow) => {
  expect(readOne(given)).toMatchObject({ isAbove, isBelow });
});

describe('a report', () => {
  it('answers each expected result by code, LOINC or name', () => {
    const { results, missing } = read([
      observation({}),
      observation({ code: 'zzz', name: 'Na', loinc: '2951-2', value: '140', unit: 'mmol/L' }),
      observation({ code: null, name: 'E-GFR', value: '90', unit: 'mL/min/1.73m2' }),
    ]);
    expect(results.map(({ expected, markerId }) => [expected.slug, markerId])).toEqual([
      ['glucose', 1],
      ['sodium', 1],
      ['egfr', 1],
    ]);
    expect(missing).toEqual([]);
  });

  it('prefers the LOINC of the message to that of the catalog', () => {
    expect(readOne({})?.expected).toMatchObject({ loinc: '2345-7', loincSlug: 'glucose-serum' });
    expect(readOne({ loinc: '2345-7' })?.expected).toMatchObject({
      loinc: '2345-7',
      loincSlug: 'glucose-serum',
    });
    expect(readOne({ loinc: '1558-6' })?.expected).toMatchObject({ loinc: '1558-6', loincSlug: null });
  });

  it('lists all the ordered markers that a result answers', () => {
    const { results, missing } = read([observation({}), observation({ code: 'N1' })], {}, [panel, other]);
    expect(results[0]).toMatchObject({ markerId: 1, markerIds: [1, 2] });
    expect(missing).toEqual([]);
  });

  it('keeps unexpected results, under their panel or under none', () => {
    const { results } = read([
      observation({}),
      observation({ code: 'N1' }),
      observation({ code: 'R9', name: 'Reflexed A1c', value: '5.6', unit: '%' }),
      observation({
        code: 'R8',
        name: 'Added',
        value: 'Cancelled',
        form: 'text',
        test: { code: 'ZZ', name: 'Else', loinc: null },
      }),
    ]);
    expect(
      results
        .slice(2)
        .map(({ expected, markerId, result }) => [expected.slug, expected.providerId, markerId, result]),
    ).toEqual([
      ['reflexed-a1c', 'R9', 1, '5.6'],
      ['added', 'R8', null, 'Cancelled'],
    ]);
  });

  it('lists results that never came as missing in the end, but not optional ones', () => {
    expect(
      read([observation({})]).missing.map(({ expected, failureType, note }) => [
        expected.slug,
        failureType,
        note,
      ]),
    ).toEqual([['sodium', 'unknown_failure', null]]);
    expect(read([observation({})], { status: 'corrected' }).missing).toHaveLength(1);
    expect(read([observation({})], { status: 'partial' }).missing).toEqual([]);
    const noted = read([observation({})], { notes: ['Reviewed.', 'Sodium: specimen hemolyzed'] }).missing[0];
    expect(noted).toMatchObject({
      failureType: 'collection_process_failure',
      note: 'Sodium: specimen hemolyzed',
    });
  });

  it('lists announced results neither as results nor as missing, and as missing in the end', () => {
    const announced = observation({ code: 'N1', name: 'Sodium', value: null, status: 'preliminary' });
    const added = observation({ code: 'R9', name: 'Reflexed A1c', value: ' ', status: 'preliminary' });
    const told = (status: ReceivedReport['status']) => {
      const { results, missing } = read([observation({}), announced, added], { status });
      return [results, missing].map((all) => all.map(({ expected }) => expected.slug));
    };
    expect(told('partial')).toEqual([['glucose'], []]);
    expect(told('final')).toEqual([['glucose'], ['sodium']]);
    const remark = read([{ ...announced, notes: ['Repeated, awaiting the second run'] }]);
    expect(remark.results).toMatchObject([{ result: 'Repeated, awaiting the second run' }]);
  });

  it('ignores empty lines, as headings', () => {
    const heading = observation({ code: 'HDR', name: '--- BMP ---', form: 'text', value: null, unit: null });
    const elsewhere = { ...heading, test: { code: 'ZZ', name: 'Else', loinc: null } };
    const { results, missing } = read([heading, observation({}), elsewhere], { status: 'partial' });
    expect([results, missing].map((all) => all.map(({ expected }) => expected.slug))).toEqual([
      ['glucose'],
      [],
    ]);
    const noted = read([observation({}), { ...elsewhere, notes: ['Fasting not known'] }], {
      status: 'partial',
    });
    expect(noted.results.map(({ result }) => result)).toEqual(['88', 'Fasting not known']);
  });

  it('lists withdrawn expected results as missing, with the reason', () => {
    const { missing, results } = read([
      observation({ status: 'cancelled', value: null, notes: ['Specimen clotted'] }),
      observation({ code: 'N1', value: '', notes: ['QNS'] }),
      observation({ code: 'E1', status: 'cancelled', value: 'TNP' }),
    ]);
    expect(results).toEqual([]);
    expect(missing.map(({ expected, failureType, note }) => [expected.slug, failureType, note])).toEqual([
      ['glucose', 'collection_process_failure', 'Specimen clotted'],
      ['sodium', 'quantity_not_sufficient_failure', 'QNS'],
      ['egfr', 'unknown_failure', 'TNP'],
    ]);
  });

  // prettier-ignore
  it.each<[string, Partial<ReceivedObservation>]>([
    ['a number',           { value: '1.2', notes: [] }],
    ['a range',            { value: '<0.1', form: 'structured', notes: [] }],
    ['a word of a scale',  { value: 'Positive', form: 'text', notes: [] }],
    ['a coded value',      { value: 'Detected', form: 'coded', notes: [] }],
    ['one with a reason',  { value: '1.2', notes: ['Posted to the wrong patient'] }],
    ['nothing at all',     { value: null, notes: [] }],
  ])('shows no longer what nobody asked for and the laboratory took back: %s', (_what, taken) => {
    const reflex = { code: 'R8', name: 'Free T4', status: 'cancelled', test: { code: 'ZZ', name: 'Reflex', loinc: null } } as const;
    const { results, missing, notes } = read([observation({}), observation({ code: 'N1' }), observation({ ...reflex, ...taken })]);
    expect(results.map(({ expected }) => expected.slug)).toEqual(['glucose', 'sodium']);
    expect(missing).toEqual([]);
    expect(notes).toEqual([`Free T4: ${taken.notes?.[0] ?? 'taken back by the laboratory'}`]);
  });

  // prettier-ignore
  it.each<[string, Partial<ReceivedObservation>, string | null]>([
    ['a number',            { value: '90', notes: [] },                              null],
    ['a number, with why',  { value: '90', notes: ['Posted to the wrong patient'] }, 'Posted to the wrong patient'],
    ['a word of a scale',   { value: 'Positive', form: 'text', notes: [] },          null],
    ['a word that says why', { value: 'Hemolyzed', form: 'coded', notes: [] },       'Hemolyzed'],
    ['a remark',            { value: 'Tube broke', form: 'text', notes: [] },        'Tube broke'],
  ])('does not repeat a value that was taken back as the reason why there is none: %s', (_what, taken, note) => {
    const { missing } = read([observation({ status: 'cancelled', ...taken }), observation({ code: 'N1' })]);
    expect(missing.map(({ expected, note: why }) => [expected.slug, why])).toEqual([['glucose', note]]);
  });

  it('withdraws an addition to a panel without effect on the panel', () => {
    const addition = observation({ code: 'R9', name: 'Anion gap', status: 'cancelled', value: '12' });
    const { results, missing } = read([observation({}), addition]);
    expect(results.map(({ expected }) => expected.slug)).toEqual(['glucose']);
    expect(missing.map(({ expected }) => expected.slug)).toEqual(['sodium']);
  });

  it('applies a remark on a panel to all of its results', () => {
    const { missing } = read([
      observation({
        code: 'BMP',
        name: 'Basic Metabolic Panel',
        form: 'text',
        value: 'TNP',
        notes: ['No specimen received'],
      }),
    ]);
    expect(missing.map(({ expected, failureType }) => [expected.slug, failureType])).toEqual(
      ['glucose', 'sodium', 'egfr'].map((slug) => [slug, 'collection_process_failure']),
    );
  });

  it('matches a test with one result under its own name', () => {
    const { results } = read(
      [
        observation({
          test: { code: 'CUL', name: 'Culture', loinc: null },
          code: 'CUL',
          name: 'CULTURE, URINE',
          form: 'text',
          value: 'No growth',
          unit: null,
          referenceRange: null,
        }),
      ],
      {},
      [cultures],
    );
    expect(results[0]).toMatchObject({
      markerId: 3,
      type: 'coded_value',
      interpretation: 'normal',
      expected: { slug: 'culture' },
    });
  });

  it('keeps unit and remark as printed, and marks a unit that is not the usual one', () => {
    expect(readOne({ value: '4.9', unit: 'mmol/L', notes: ['Repeated'] })).toMatchObject({
      unit: 'mmol/L',
      ucum: 'mmol/L',
      value: 4.9,
      unitDiffers: true,
      notes: 'Repeated\nReported in mmol/L, usually in mg/dL; not converted.',
    });
    expect(readOne({ unit: 'MG/DL' })).toMatchObject({ unit: 'MG/DL', ucum: 'mg/dL', notes: null });
    expect(readOne({ unit: 'MG/DL' })).not.toHaveProperty('unitDiffers');
  });

  it('has the times, the laboratory and the notes of the message', () => {
    expect(
      read(
        [observation({ performingLaboratory: 'Chantilly', observedAt: new Date('2026-03-01T11:00:00Z') })],
        { notes: ['Fasting: yes'] },
      ),
    ).toMatchObject({
      collectedAt: '2026-03-01T10:00:00.000Z',
      receivedAt: null,
      laboratory: 'Quest Diagnostics',
      notes: ['Fasting: yes'],
      results: [{ performingLaboratory: 'Chantilly', observedAt: '2026-03-01T11:00:00.000Z' }],
    });
  });

  it('selects the range by age on the day of the draw, for infants in months and days', () => {
    const referenceRange = '0-14 days: 40-60; 15 days - 5 months: 50-90; 6-11 months: 100-120';
    const interpretationFor = (dob: string) =>
      interpretReport(reportOf([observation({ referenceRange })]), [panel], {
        dob,
        gender: 'female',
      }).results.map(({ bounds }) => bounds?.min);
    expect(['2026-02-20', '2026-02-10', '2025-09-01', '2025-03-01'].map(interpretationFor)).toEqual([
      [40],
      [50],
      [100],
      [undefined],
    ]);
  });

  it('keeps results of the previous version that it does not contain', () => {
    const before = read([
      observation({}),
      observation({ code: 'N1', value: '150', referenceRange: '135-145' }),
    ]);
    const after = interpretReport(
      reportOf([observation({ value: '91', status: 'corrected' })], { status: 'corrected' }),
      [panel],
      { ...WOMAN, previous: before },
    );
    expect(after.results.map(({ expected, value, status }) => [expected.slug, value, status])).toEqual([
      ['glucose', 91, 'corrected'],
      ['sodium', 150, 'final'],
    ]);
    expect(after.missing).toEqual([]);
  });

  it('loses nothing that was printed', () => {
    const text = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.constantFrom('QNS', '5.7', '<1.2', 'Positive', '1:40', 'TNP', ''),
    );
    const any = fc.record({
      code: fc.constantFrom('G1', 'N1', 'E1', 'XX', null),
      name: text,
      value: fc.option(text),
      unit: fc.option(fc.constantFrom('mg/dL', 'K/uL', '???', '')),
      referenceRange: fc.option(text),
      flags: fc.array(fc.constantFrom('H', 'LL', 'zz', ''), { maxLength: 2 }),
      form: fc.constantFrom('number', 'structured', 'text', 'coded'),
      status: fc.constantFrom('final', 'preliminary', 'corrected', 'cancelled'),
      notes: fc.array(text, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(
        fc.array(any, { maxLength: 6 }),
        fc.constantFrom('partial', 'final', 'corrected'),
        (given, status) => {
          const report = read(
            given.map((each) => observation(each as Partial<ReceivedObservation>)),
            { status },
          );
          const kept = [
            ...report.results.map(({ result }) => result),
            ...report.missing.map(({ note }) => note ?? ''),
          ];
          // What says that there is no result gives way to the result, when it came all the same.
          const printed = given
            .filter((each) => each.status !== 'cancelled' && !isNotPerformedText(each.value ?? ''))
            .map(({ value }) => value?.trim() ?? '');
          expect(printed.filter((text) => !kept.some((each) => each.includes(text)) && text !== '')).toEqual(
            [],
          );
          const told = new Set([...report.results, ...report.missing].map(({ expected }) => expected.slug));
          expect(status === 'partial' || (told.has('glucose') && told.has('sodium'))).toBe(true);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
