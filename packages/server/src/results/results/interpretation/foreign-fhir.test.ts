import { describe, expect, it } from 'vitest';
import { readFhirReports } from '../../../adapters/lab-network/fhir/fhir.ts';
import type { ExpectedResult, LabReport, RequestedTest } from '../../../adapters/lab-network/port.ts';
import { interpretReport } from './interpretation.ts';

/** FHIR R4 as different laboratories and record systems send it, with what a reader is shown. */

const LOINC = 'http://loinc.org';
const UCUM = 'http://unitsofmeasure.org';
const SCT = 'http://snomed.info/sct';
const V3 = 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation';
const V2 = 'http://terminology.hl7.org/CodeSystem/v2-0078';
const ABSENT = 'http://terminology.hl7.org/CodeSystem/data-absent-reason';
const RANGE_MEANING = 'http://terminology.hl7.org/CodeSystem/referencerange-meaning';

type Element = Readonly<Record<string, unknown>>;

const expected = (
  name: string,
  loinc: string,
  unit: string,
  kind: ExpectedResult['kind'] = 'numeric',
): ExpectedResult => ({
  name,
  slug: name.toLowerCase(),
  loinc,
  loincSlug: null,
  providerId: null,
  unit,
  kind,
  decimals: 1,
  low: null,
  high: null,
  rangeText: null,
  criticalLow: null,
  criticalHigh: null,
  normalText: null,
  abnormalText: null,
  required: false,
});
const ORDERED: readonly RequestedTest[] = [
  {
    markerId: 1,
    providerId: null,
    name: 'Panel',
    slug: 'panel',
    expected: [
      expected('Glucose', '2345-7', 'mg/dL'),
      expected('Sodium', '2951-2', 'mmol/L'),
      expected('Hemoglobin', '718-7', 'g/dL'),
    ],
  },
];

const concept = (system: string, code: string, display?: string) => ({
  coding: [{ system, code, ...(display ? { display } : {}) }],
});
const coded = (loinc: string, text: string) => ({ code: { ...concept(LOINC, loinc, text), text } });
const GLUCOSE = coded('2345-7', 'Glucose');
const SODIUM = coded('2951-2', 'Sodium');
const HGB = coded('718-7', 'Hemoglobin');
const quantity = (value: number, unit = 'mg/dL', more: Element = {}) => ({
  valueQuantity: { value, unit, system: UCUM, code: unit, ...more },
});
const range = (low: number | null, high: number | null, more: Element = {}) => ({
  ...(low === null ? {} : { low: { value: low, unit: 'mg/dL' } }),
  ...(high === null ? {} : { high: { value: high, unit: 'mg/dL' } }),
  ...more,
});
const flag = (system: string, code: string) => ({ interpretation: [concept(system, code)] });

interface Sent {
  /** Observations `o1`, `o2` and so on, which the report lists unless it says otherwise. */
  readonly o: readonly Element[];
  readonly report?: Element;
  readonly more?: readonly Element[];
}

function read({ o, report = {}, more = [] }: Sent): string[] {
  const observations = o.map((one, at) => ({
    resourceType: 'Observation',
    id: `o${at + 1}`,
    status: 'final',
    ...one,
  }));
  const resources: Element[] = [
    {
      resourceType: 'DiagnosticReport',
      id: 'r1',
      status: 'final',
      code: { text: 'Panel' },
      subject: { reference: 'Patient/p1' },
      issued: '2026-03-02T10:00:00Z',
      effectiveDateTime: '2026-03-01T08:00:00Z',
      result: observations.map(({ id }) => ({ reference: `Observation/${id}` })),
      ...report,
    },
    {
      resourceType: 'Patient',
      id: 'p1',
      name: [{ family: 'Lovelace', given: ['Ada'] }],
      birthDate: '1985-12-10',
      gender: 'female',
    },
    ...observations,
    ...more,
  ];
  const bundle = {
    resourceType: 'Bundle',
    id: 'b1',
    type: 'collection',
    entry: resources.map((resource) => ({
      fullUrl: `https://lab.example/fhir/${String(resource['resourceType'])}/${String(resource['id'])}`,
      resource,
    })),
  };
  const reports = readFhirReports(bundle, { lab: 'quest', arrivedAt: new Date('2026-03-02T15:00:00Z') });
  return reports.flatMap((one) =>
    show(interpretReport(one, ORDERED, { dob: '1985-12-10', gender: 'female' })),
  );
}

/** `Glucose=105 mg/dL [70,99] abnormal preliminary {note}`, `Glucose! failure {note}`, `# remark`, and a status that is not final. */
function show({ status, results, missing, notes = [] }: LabReport): string[] {
  const noted = (note: string | null) => (note === null ? '' : ` {${note}}`);
  return [
    ...(status === 'final' ? [] : [status]),
    ...results.map((one) => {
      const bounds = one.bounds ? ` [${one.bounds.min ?? ''},${one.bounds.max ?? ''}]` : '';
      const unit = one.unit === null ? '' : ` ${one.unit}`;
      const shownStatus = one.status === 'final' || one.status === undefined ? '' : ` ${one.status}`;
      const isolate = one.microbiology?.organism ? ` <${one.microbiology.organism}>` : '';
      return `${one.expected.name}=${one.result}${unit}${bounds} ${one.interpretation}${shownStatus}${isolate}${noted(one.notes)}`;
    }),
    ...missing.map((one) => `${one.expected.name}! ${one.failureType}${noted(one.note)}`),
    ...notes.map((note) => `# ${note}`),
  ];
}

// prettier-ignore
const VALUES: readonly (readonly [string, Sent, readonly string[]])[] = [
  ['a quantity with its range',              { o: [{ ...GLUCOSE, ...quantity(105), referenceRange: [range(70, 99)] }] }, ['Glucose=105 mg/dL [70,99] abnormal']],
  ['a comparator',                           { o: [{ ...GLUCOSE, ...quantity(5, 'mg/dL', { comparator: '<' }), referenceRange: [range(70, 99)] }] }, ['Glucose=<5 mg/dL [70,99] abnormal']],
  ['a comparator that includes its bound',   { o: [{ ...GLUCOSE, ...quantity(600, 'mg/dL', { comparator: '>=' }) }] }, ['Glucose=>=600 mg/dL unknown']],
  ['a code of the unit alone',               { o: [{ ...GLUCOSE, valueQuantity: { value: 105, system: UCUM, code: 'mg/dL' } }] }, ['Glucose=105 mg/dL unknown']],
  ['a unit that is not UCUM',                { o: [{ ...HGB, valueQuantity: { value: 14.1, unit: 'gm/dl' }, referenceRange: [{ text: '12.0-15.5' }] }] }, ['Hemoglobin=14.1 gm/dl [12,15.5] normal']],
  ['a unit of another system',               { o: [{ ...GLUCOSE, ...quantity(5.8, 'mmol/L') }] }, ['Glucose=5.8 mmol/L unknown {Reported in mmol/L, usually in mg/dL; not converted.\nDoubtful LOINC code: 2345-7 is not measured in mmol/L.}']],
  ['a readable unit and its code',           { o: [{ ...SODIUM, valueQuantity: { value: 140, unit: 'mEq/L', system: UCUM, code: 'meq/L' } }] }, ['Sodium=140 mEq/L unknown {Reported in mEq/L, usually in mmol/L; not converted.}']],
  ['a number as a string',                   { o: [{ ...GLUCOSE, valueString: '105', referenceRange: [{ text: '70-99 mg/dL' }] }] }, ['Glucose=105 [70,99] abnormal']],
  ['a comparison as a string',               { o: [{ ...GLUCOSE, valueString: '> 600 mg/dL' }] }, ['Glucose=> 600 mg/dL mg/dL unknown']],
  ['a remark as a string',                   { o: [{ ...GLUCOSE, valueString: 'TNP - specimen hemolyzed' }] }, ['Glucose! collection_process_failure {TNP - specimen hemolyzed}']],
  ['an announcement as a string',            { o: [{ ...GLUCOSE, valueString: 'PENDING' }] }, ['partial']],
  ['a titer as a ratio',                     { o: [{ code: { text: 'ANA titer' }, valueRatio: { numerator: { value: 1 }, denominator: { value: 160 } } }] }, ['ANA titer=1:160 unknown']],
  ['a ratio of quantities',                  { o: [{ code: { text: 'Albumin/Creatinine' }, valueRatio: { numerator: { value: 30, unit: 'mg' }, denominator: { value: 1, unit: 'g' } } }] }, ['Albumin/Creatinine=30 mg / 1 g unknown']],
  ['a range',                                { o: [{ code: { text: 'WBC /HPF' }, valueRange: { low: { value: 0, unit: '/[HPF]' }, high: { value: 5, unit: '/[HPF]' } } }] }, ['WBC /HPF=0-5 /[HPF] unknown']],
  ['an open range',                          { o: [{ code: { text: 'RBC /HPF' }, valueRange: { low: { value: 50 } } }] }, ['RBC /HPF=>=50 unknown']],
  ['a code with its display',                { o: [{ code: { text: 'HIV' }, valueCodeableConcept: concept(SCT, '260385009', 'Negative') }] }, ['HIV=Negative unknown']],
  ['a code with a text of its own',          { o: [{ code: { text: 'HIV' }, valueCodeableConcept: { ...concept(SCT, '131194007', 'Non-Reactive'), text: 'NON-REACTIVE' } }] }, ['HIV=NON-REACTIVE unknown']],
  ['a boolean',                              { o: [{ code: { text: 'Fasting' }, valueBoolean: true }] }, ['Fasting=true unknown']],
  ['an integer',                             { o: [{ code: { text: 'Colonies' }, valueInteger: 12 }] }, ['Colonies=12 unknown']],
  ['a time',                                 { o: [{ code: { text: 'Time of dose' }, valueDateTime: '2026-03-01T07:30:00Z' }, { code: { text: 'Last meal' }, valueTime: '07:30:00' }] }, ['Time of dose=2026-03-01T07:30:00Z unknown', 'Last meal=07:30:00 unknown']],
  ['a period',                               { o: [{ code: { text: 'Collection' }, valuePeriod: { start: '2026-02-28', end: '2026-03-01' } }] }, ['Collection=2026-02-28 - 2026-03-01 unknown']],
];

// prettier-ignore
const ABSENCES: readonly (readonly [string, Sent, readonly string[]])[] = [
  ['not performed',              { o: [{ ...GLUCOSE, dataAbsentReason: concept(ABSENT, 'not-performed', 'Not Performed') }] }, ['Glucose! unknown_failure {Not Performed}']],
  ['a reason in words',          { o: [{ ...GLUCOSE, dataAbsentReason: { ...concept(ABSENT, 'error'), text: 'Specimen clotted' } }] }, ['Glucose! collection_process_failure {Specimen clotted}']],
  ['a code alone',               { o: [{ ...GLUCOSE, dataAbsentReason: concept(ABSENT, 'unsupported') }] }, ['Glucose! unknown_failure {unsupported}']],
  ['expected later',             { o: [{ ...GLUCOSE, dataAbsentReason: concept(ABSENT, 'temp-unknown', 'Temporarily Unknown') }] }, ['partial', '# Glucose (pending): Temporarily Unknown']],
  ['a note alone',               { o: [{ ...GLUCOSE, note: [{ text: 'Quantity not sufficient' }] }] }, ['Glucose! quantity_not_sufficient_failure {Quantity not sufficient}']],
  ['registered',                 { o: [{ ...GLUCOSE, status: 'registered' }], report: { status: 'registered' } }, ['partial']],
  ['registered in a final report', { o: [{ ...GLUCOSE, status: 'registered' }] }, ['partial']],
  ['cancelled',                  { o: [{ ...GLUCOSE, status: 'cancelled', note: [{ text: 'Duplicate order' }] }] }, ['Glucose! order_entry_failure {Duplicate order}']],
  ['entered in error',           { o: [{ ...GLUCOSE, status: 'entered-in-error', ...quantity(105) }] }, ['Glucose! unknown_failure']],
];

// prettier-ignore
const STATUSES: readonly (readonly [string, Sent, readonly string[]])[] = [
  ['preliminary',    { o: [{ ...GLUCOSE, status: 'preliminary', ...quantity(105) }], report: { status: 'preliminary' } }, ['partial', 'Glucose=105 mg/dL unknown preliminary']],
  ['amended',        { o: [{ ...GLUCOSE, status: 'amended', ...quantity(105) }], report: { status: 'amended' } }, ['corrected', 'Glucose=105 mg/dL unknown corrected']],
  ['corrected',      { o: [{ ...GLUCOSE, status: 'corrected', ...quantity(105) }] }, ['corrected', 'Glucose=105 mg/dL unknown corrected']],
  ['appended',       { o: [{ ...GLUCOSE, ...quantity(105) }], report: { status: 'appended' } }, ['corrected', 'Glucose=105 mg/dL unknown']],
  ['of an unknown status', { o: [{ ...GLUCOSE, status: 'unknown', ...quantity(105) }] }, ['Glucose=105 mg/dL unknown preliminary']],
];

// prettier-ignore
const FLAGS: readonly (readonly [string, Sent, readonly string[]])[] = [
  ['v3',                      { o: [{ ...GLUCOSE, ...quantity(105), ...flag(V3, 'H') }] }, ['Glucose=105 mg/dL abnormal']],
  ['v2 table 0078',           { o: [{ ...GLUCOSE, ...quantity(505), ...flag(V2, 'HH') }] }, ['Glucose=505 mg/dL critical']],
  ['the system of DSTU2',     { o: [{ ...GLUCOSE, ...quantity(105), ...flag('http://hl7.org/fhir/v2/0078', 'H') }] }, ['Glucose=105 mg/dL abnormal']],
  ['words',                   { o: [{ ...GLUCOSE, ...quantity(105), interpretation: [{ text: 'High' }] }] }, ['Glucose=105 mg/dL abnormal']],
  ['words of a local code',   { o: [{ ...GLUCOSE, ...quantity(505), interpretation: [concept('urn:x-lab', '17', 'Critical High')] }] }, ['Glucose=505 mg/dL critical']],
  ['SNOMED CT',               { o: [{ ...GLUCOSE, ...quantity(105), interpretation: [concept(SCT, '281302008', 'Above reference range')] }] }, ['Glucose=105 mg/dL abnormal']],
  ['a local code and v3',     { o: [{ ...GLUCOSE, ...quantity(105), interpretation: [{ coding: [{ system: 'urn:x-lab', code: 'N' , display: 'Noted' }, { system: V3, code: 'H' }] }] }] }, ['Glucose=105 mg/dL abnormal']],
];

const female = { appliesTo: [concept(SCT, '248152002', 'Female')] };
const male = { appliesTo: [concept(SCT, '248153007', 'Male')] };
const aged = (low: number | null, high: number | null) => ({
  age: {
    ...(low === null ? {} : { low: { value: low, unit: 'a', system: UCUM, code: 'a' } }),
    ...(high === null ? {} : { high: { value: high, unit: 'a', system: UCUM, code: 'a' } }),
  },
});
const type = (code: string) => ({ type: concept(RANGE_MEANING, code) });
// prettier-ignore
const RANGES: readonly (readonly [string, Sent, readonly string[]])[] = [
  ['of each sex',               { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [range(90, 120, male), range(70, 99, female)] }] }, ['Glucose=80 mg/dL [70,99] normal']],
  ['of each age',               { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [range(40, 60, aged(0, 17)), range(70, 99, aged(18, null))] }] }, ['Glucose=80 mg/dL [70,99] normal']],
  ['of sex and age',            { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [range(1, 2, { ...female, ...aged(0, 17) }), range(70, 99, { ...female, ...aged(18, 120) }), range(3, 4, male)] }] }, ['Glucose=80 mg/dL [70,99] normal']],
  ['of another age alone',      { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [range(40, 60, aged(0, 17))] }] }, ['Glucose=80 mg/dL unknown']],
  ['normal and critical',       { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [range(40, 450, type('critical')), range(70, 99, type('normal'))] }] }, ['Glucose=80 mg/dL [70,99] normal {Limits (critical): 40-450}']],
  ['a treatment goal alone',    { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [range(null, 70, type('treatment'))] }] }, ['Glucose=80 mg/dL unknown {Limits (treatment): <=70}']],
  ['a text alone',              { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [{ text: '70 - 99 mg/dL' }] }] }, ['Glucose=80 mg/dL [70,99] normal']],
  ['with an upper end alone',   { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [range(null, 99)] }] }, ['Glucose=80 mg/dL [,99] normal']],
  ['in another unit',           { o: [{ ...GLUCOSE, ...quantity(80), referenceRange: [{ low: { value: 3.9, unit: 'mmol/L' }, high: { value: 5.5, unit: 'mmol/L' } }] }] }, ['Glucose=80 mg/dL unknown {Its reference range is in mmol/L; not compared.}']],
];

// prettier-ignore
const PANELS: readonly (readonly [string, Sent, readonly string[]])[] = [
  ['components',                        { o: [{ code: { text: 'Panel' }, component: [{ ...GLUCOSE, ...quantity(105), ...flag(V3, 'H') }, { ...SODIUM, ...quantity(140, 'mmol/L') }] }] }, ['Glucose=105 mg/dL abnormal', 'Sodium=140 mmol/L unknown']],
  ['a component without its value',     { o: [{ code: { text: 'Panel' }, component: [{ ...GLUCOSE, dataAbsentReason: { text: 'Quantity not sufficient' } }, { ...SODIUM, ...quantity(140, 'mmol/L') }] }] }, ['Sodium=140 mmol/L unknown', 'Glucose! quantity_not_sufficient_failure {Quantity not sufficient}']],
  ['members, of which it lists the panel alone', { o: [{ code: { text: 'Panel' }, hasMember: [{ reference: 'Observation/o2' }, { reference: 'Observation/o3' }] }, { ...GLUCOSE, ...quantity(105) }, { ...SODIUM, ...quantity(140, 'mmol/L') }], report: { result: [{ reference: 'Observation/o1' }] } }, ['Glucose=105 mg/dL unknown', 'Sodium=140 mmol/L unknown']],
  ['members that it lists as well',     { o: [{ code: { text: 'Panel' }, hasMember: [{ reference: 'Observation/o3' }, { reference: 'Observation/o2' }] }, { ...GLUCOSE, ...quantity(105) }, { ...SODIUM, ...quantity(140, 'mmol/L') }] }, ['Sodium=140 mmol/L unknown', 'Glucose=105 mg/dL unknown']],
  ['members of members',                { o: [{ code: { text: 'Panel' }, hasMember: [{ reference: 'Observation/o2' }] }, { code: { text: 'Chemistry' }, hasMember: [{ reference: 'Observation/o3' }] }, { ...GLUCOSE, ...quantity(105) }], report: { result: [{ reference: 'Observation/o1' }] } }, ['Glucose=105 mg/dL unknown']],
  ['a value that is calculated',        { o: [{ ...GLUCOSE, ...quantity(105) }, { code: { text: 'eAG' }, ...quantity(126), derivedFrom: [{ reference: 'Observation/o1' }] }] }, ['Glucose=105 mg/dL unknown', 'eAG=126 mg/dL unknown {Calculated from Glucose}']],
  ['a value that is calculated from what is absent', { o: [{ code: { text: 'eAG' }, ...quantity(126), derivedFrom: [{ reference: 'Observation/a1', display: 'Hemoglobin A1c' }] }] }, ['eAG=126 mg/dL unknown {Calculated from Hemoglobin A1c}']],
  ['contained observations',            { o: [], report: { contained: [{ resourceType: 'Observation', id: 'c1', status: 'final', ...GLUCOSE, ...quantity(105) }], result: [{ reference: '#c1' }] } }, ['Glucose=105 mg/dL unknown']],
  ['contained members',                 { o: [{ code: { text: 'Panel' }, contained: [{ resourceType: 'Observation', id: 'c1', status: 'final', ...GLUCOSE, ...quantity(105) }], hasMember: [{ reference: '#c1' }] }] }, ['Glucose=105 mg/dL unknown']],
  ['absolute references',               { o: [{ ...GLUCOSE, ...quantity(105) }], report: { result: [{ reference: 'https://lab.example/fhir/Observation/o1' }] } }, ['Glucose=105 mg/dL unknown']],
  ['versioned references',              { o: [{ ...GLUCOSE, ...quantity(105) }], report: { result: [{ reference: 'Observation/o1/_history/2' }] } }, ['Glucose=105 mg/dL unknown']],
  ['absolute versioned references',     { o: [{ ...GLUCOSE, ...quantity(105) }], report: { result: [{ reference: 'https://lab.example/fhir/Observation/o1/_history/2' }] } }, ['Glucose=105 mg/dL unknown']],
  ['one observation listed twice',      { o: [{ ...GLUCOSE, ...quantity(105) }], report: { result: [{ reference: 'Observation/o1' }, { reference: 'https://lab.example/fhir/Observation/o1' }] } }, ['Glucose=105 mg/dL unknown']],
];

const SUSCEPTIBILITY = (drug: string, mic: number, code: string, of: string) => ({
  code: { text: drug },
  ...quantity(mic, 'ug/mL'),
  ...flag(V3, code),
  derivedFrom: [{ reference: of }],
});
const organism = (name: string, code: string) => ({
  ...coded('600-7', 'Bacteria identified'),
  valueCodeableConcept: { ...concept(SCT, code, name), text: name },
});
// prettier-ignore
const OTHERS: readonly (readonly [string, Sent, readonly string[]])[] = [
  ['two isolates with their drugs', { o: [organism('Escherichia coli', '112283007'), organism('Klebsiella pneumoniae', '56415008'), SUSCEPTIBILITY('Ampicillin', 32, 'R', 'Observation/o1'), SUSCEPTIBILITY('Ampicillin', 2, 'S', 'Observation/o2')] },
    ['Bacteria identified=Escherichia coli unknown <Escherichia coli>', 'Bacteria identified=Klebsiella pneumoniae unknown <Klebsiella pneumoniae>', 'Ampicillin=32 ug/mL abnormal <Escherichia coli> {Susceptibility: resistant}', 'Ampicillin=2 ug/mL normal <Klebsiella pneumoniae> {Susceptibility: susceptible}']],
  ['drugs as members of the isolate', { o: [{ ...organism('Escherichia coli', '112283007'), hasMember: [{ reference: 'Observation/o2' }] }, { code: { text: 'Ampicillin' }, ...quantity(32, 'ug/mL'), ...flag(V3, 'R') }], report: { result: [{ reference: 'Observation/o1' }] } },
    ['Bacteria identified=Escherichia coli unknown <Escherichia coli>', 'Ampicillin=32 ug/mL abnormal <Escherichia coli> {Susceptibility: resistant}']],
  ['drugs as components of the isolate', { o: [{ ...organism('Escherichia coli', '112283007'), component: [{ code: { text: 'Ampicillin' }, ...quantity(32, 'ug/mL'), ...flag(V3, 'R') }] }] },
    ['Bacteria identified=Escherichia coli unknown <Escherichia coli>', 'Ampicillin=32 ug/mL abnormal <Escherichia coli> {Susceptibility: resistant}']],
  ['notes in order',                { o: [{ ...GLUCOSE, ...quantity(105), note: [{ text: 'Repeated' }, { text: 'Called to Dr. Hall', time: '2026-03-01' }] }] }, ['Glucose=105 mg/dL unknown {Repeated\nCalled to Dr. Hall}']],
  ['a conclusion',                  { o: [{ ...GLUCOSE, ...quantity(105) }], report: { conclusion: 'Impaired fasting glucose' } }, ['Glucose=105 mg/dL unknown', '# Impaired fasting glucose']],
  ['no time of issue',              { o: [{ ...GLUCOSE, ...quantity(105) }], report: { issued: undefined } }, ['Glucose=105 mg/dL unknown']],
  ['times of month and year',       { o: [{ ...GLUCOSE, ...quantity(105), effectiveDateTime: '2026-03' }], report: { effectiveDateTime: '2026' } }, ['Glucose=105 mg/dL unknown']],
  ['a period of collection',        { o: [{ ...GLUCOSE, ...quantity(105), effectivePeriod: { start: '2026-03-01T08:00:00Z' } }], report: { effectiveDateTime: undefined } }, ['Glucose=105 mg/dL unknown']],
  ['several codings',               { o: [{ code: { coding: [{ system: 'urn:oid:1.2.840.114350', code: '1230000147', display: 'GLUCOSE' }, { system: 'urn:oid:2.16.840.1.113883.6.1', code: '2345-7' }] }, ...quantity(105) }] }, ['Glucose=105 mg/dL unknown']],
  ['a code without a system',       { o: [{ code: { coding: [{ code: '2345-7', display: 'Glucose' }] }, ...quantity(105) }] }, ['Glucose=105 mg/dL unknown']],
];

describe.each([
  ['the value is', VALUES],
  ['no value, but', ABSENCES],
  ['the status is', STATUSES],
  ['the flag is in', FLAGS],
  ['the reference range is', RANGES],
  ['the report has', PANELS],
  ['there is', OTHERS],
] as const)('in a FHIR report where %s', (_part, cases) => {
  it.each(cases)('%s', (_what, sent, shown) => expect(read(sent)).toEqual(shown));
});
