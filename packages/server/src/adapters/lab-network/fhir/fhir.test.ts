import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DomainError } from '../../../platform/errors.ts';
import { readFhirReports } from './fhir.ts';
import { removeFhirReports } from './remove-reports.ts';

const LOINC = 'http://loinc.org';

const patient = {
  resourceType: 'Patient',
  id: 'p1',
  name: [{ use: 'official', family: 'Lovelace', given: ['Ada', 'King'] }],
  birthDate: '1985-12-10',
  gender: 'female',
};
const observation = (id: string, more: object) => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: {
    coding: [
      { system: LOINC, code: '2345-7' },
      { system: 'urn:x-lab', code: 'GLU' },
    ],
    text: 'Glucose',
  },
  ...more,
});
const report = (results: string[], more: object = {}) => ({
  resourceType: 'DiagnosticReport',
  id: 'r1',
  status: 'final',
  code: { coding: [{ system: 'urn:x-lab', code: 'BMP' }], text: 'Basic panel' },
  subject: { reference: 'Patient/p1' },
  issued: '2026-03-02T10:00:00Z',
  result: results.map((reference) => ({ reference })),
  ...more,
});
type SentResource = { resourceType: string; id?: string; [element: string]: unknown };
const q = (value: number, unit?: string) => ({ value, unit });
const bundle = (...resources: SentResource[]) => ({
  resourceType: 'Bundle',
  id: 'msg-1',
  type: 'collection',
  entry: resources.map((resource) => ({
    fullUrl: `https://lab.example/fhir/${resource.resourceType}/${resource.id}`,
    resource,
  })),
});
const readAll = (given: unknown) =>
  readFhirReports(given, { lab: 'quest', arrivedAt: new Date('2026-03-02T15:00:00Z') });
function read(given: unknown) {
  const [only, ...others] = readAll(given);
  if (!only || others.length > 0) throw new Error('Expected one report');
  return only;
}

/** How it is refused; any other failure is one of ours. */
function refusalOf(given: unknown): DomainError | undefined {
  try {
    readAll(given);
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}

describe('a FHIR report', () => {
  it('has the specimen of each result, or the only specimen of the report', () => {
    const specimen = (id: string, collectedDateTime: string) => ({
      resourceType: 'Specimen',
      id,
      identifier: [{ value: `TUBE-${id}` }],
      collection: { collectedDateTime },
    });
    const { observations } = read(
      bundle(
        report(['Observation/o1', 'Observation/o2'], { specimen: [{ reference: 'Specimen/x1' }] }),
        patient,
        observation('o1', { valueQuantity: q(90) }),
        observation('o2', { valueQuantity: q(150), specimen: { reference: 'Specimen/x2' } }),
        specimen('x1', '2026-03-01T08:00:00Z'),
        specimen('x2', '2026-03-01'),
      ),
    );
    expect(observations.map(({ origin }) => origin)).toEqual([
      { specimen: 'TUBE-x1', drawnAt: new Date('2026-03-01T08:00:00Z') },
      { specimen: 'TUBE-x2', drawnAt: new Date('2026-03-01T00:00:00Z'), isDay: true },
    ]);
  });

  it('has its patient, order and specimen', () => {
    const given = bundle(
      report(['Observation/o1'], {
        basedOn: [{ reference: 'ServiceRequest/s1' }],
        specimen: [{ reference: 'Specimen/x1' }],
        performer: [{ reference: 'Organization/l1' }],
        conclusion: 'All well',
      }),
      patient,
      observation('o1', {
        valueQuantity: { value: 88, unit: 'mg/dL' },
        effectiveDateTime: '2026-03-01T09:30:00-05:00',
      }),
      {
        resourceType: 'ServiceRequest',
        id: 's1',
        identifier: [
          { type: { coding: [{ code: 'FILL' }] }, value: 'F9' },
          { type: { coding: [{ code: 'PLAC' }] }, value: 'order-1' },
        ],
      },
      {
        resourceType: 'Specimen',
        id: 'x1',
        accessionIdentifier: { value: 'A1' },
        identifier: [{ value: 'B2' }, { value: 'A1' }],
        receivedTime: '2026-03-01T20:00:00Z',
        collection: { collectedDateTime: '2026-03-01T09:30:00-05:00' },
      },
      {
        resourceType: 'Organization',
        id: 'l1',
        name: 'Quest',
        identifier: [{ system: 'urn:oid:2.16.840.1.113883.4.7', value: '05D' }],
      },
      { resourceType: 'Account', id: 'a1', identifier: [{ value: 'ACC-7' }] },
    );
    expect(read(given)).toMatchObject({
      lab: 'quest',
      accountNumber: 'ACC-7',
      controlId: 'msg-1',
      placerOrderId: 'order-1',
      sampleIds: ['A1', 'B2', 'order-1', 'F9'],
      status: 'final',
      patient: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        dob: '1985-12-10',
        gender: 'female',
        patientId: 'p1',
      },
      collectedAt: new Date('2026-03-01T14:30:00Z'),
      receivedAt: new Date('2026-03-01T20:00:00Z'),
      reportedAt: new Date('2026-03-02T10:00:00Z'),
      laboratory: 'Quest',
      clia: '05D',
      notes: ['All well'],
      observations: [
        {
          test: { code: 'BMP', name: 'Basic panel' },
          code: 'GLU',
          loinc: '2345-7',
          name: 'Glucose',
          form: 'number',
          value: '88',
          unit: 'mg/dL',
          status: 'final',
          observedAt: new Date('2026-03-01T14:30:00Z'),
        },
      ],
    });
  });

  // prettier-ignore
  it.each([
    [{ valueQuantity: { value: 5.7, unit: 'mg/dL' } },                          'number',     '5.7',      'mg/dL'],
    [{ valueQuantity: { value: 1.2, comparator: '<', code: 'mg/dL' } },         'structured', '<1.2',     'mg/dL'],
    [{ valueInteger: 3 },                                                       'number',     '3',        null],
    [{ valueString: 'See note' },                                               'text',       'See note', null],
    [{ valueCodeableConcept: { coding: [{ code: '1', display: 'Positive' }] } }, 'coded',     'Positive', null],
    [{ valueCodeableConcept: { coding: [{ code: 'POS' }] } },                   'coded',      'POS',      null],
    [{ valueRange: { low: { value: 0, unit: '/HPF' }, high: { value: 5 } } },   'structured', '0-5',      '/HPF'],
    [{ valueRange: { high: { value: 5 } } },                                    'structured', '<=5',      null],
    [{ valueRatio: { numerator: { value: 1 }, denominator: { value: 160 } } },  'structured', '1:160',    null],
    [{ valueBoolean: true },                                                    'coded',      'true',     null],
    [{ valueDateTime: '2026-03' },                                              'text',       '2026-03',  null],
    [{ valueQuantity: { value: 5.7, extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/rendered-value', valueString: '5.70' }] } }, 'number', '5.70', null],
  ])('has the value %j as %s %s', (value, form, printed, unit) => {
    const [found] = read(bundle(report(['Observation/o1']), patient, observation('o1', value))).observations;
    expect(found).toMatchObject({ form, value: printed, unit });
  });

  // prettier-ignore
  it.each([
    ['final', 'final'], ['amended', 'corrected'], ['corrected', 'corrected'], ['appended', 'corrected'], ['partial', 'partial'], ['preliminary', 'partial'], ['registered', 'partial'], ['cancelled', 'final'],
  ])('that is %s is %s', (status, wanted) => {
    const { status: read1, observations } = read(bundle(report(['Observation/o1'], { status }), patient, observation('o1', { valueString: 'x' })));
    expect([read1, observations[0]?.status]).toEqual([wanted, status === 'cancelled' ? 'cancelled' : 'final']);
  });

  it('has flags, ranges, notes and absent values', () => {
    const { observations } = read(
      bundle(
        report(['Observation/o1', 'Observation/o2']),
        patient,
        observation('o1', {
          valueQuantity: { value: 5 },
          interpretation: [{ coding: [{ code: 'HH' }] }],
          referenceRange: [
            { low: { value: 1 }, high: { value: 4 }, appliesTo: [{ text: 'Male' }] },
            { low: { value: 2 }, appliesTo: [{ text: 'Female' }] },
          ],
          note: [{ text: 'Repeated' }],
        }),
        observation('o2', {
          dataAbsentReason: { coding: [{ code: 'error' }], text: 'QNS' },
          referenceRange: [{ text: '<5.7' }],
        }),
      ),
    );
    expect(observations).toMatchObject([
      { flags: ['HH'], referenceRange: 'Male: 1-4; Female: >=2', notes: ['Repeated'], status: 'final' },
      { value: null, referenceRange: '<5.7', notes: ['QNS'], status: 'cancelled' },
    ]);
  });

  const seenAs = (...referenceRange: object[]) =>
    read(
      bundle(
        report(['Observation/o1']),
        patient,
        observation('o1', { valueQuantity: q(5, 'mmol/L'), referenceRange }),
      ),
    ).observations[0]?.referenceRange;

  // prettier-ignore
  it.each([
    [{ low: q(70, 'mg/dL'), high: q(99, 'mg/dL') },                        '70-99 mg/dL'],
    [{ high: q(99, 'mg/dL') },                                             '<=99 mg/dL'],
    [{ low: q(70, 'mg/dL'), high: q(99, 'mg/dL'), text: '70-99' },         '70-99 mg/dL'],
    [{ low: q(70, 'mg/dL'), high: q(99, 'mg/dL'), text: '70 - 99 mg/dL' }, '70 - 99 mg/dL'],
    [{ low: q(4, 'mmol/L'), high: q(6, 'mmol/L') },                        '4-6'],
    [{ low: q(4), high: q(6) },                                            '4-6'],
  ])('has the range %j as %s, in its own unit where that is not the value’s', (range, wanted) => {
    expect(seenAs(range)).toBe(wanted);
  });

  // prettier-ignore
  it.each([
    [{ low: q(2, 'mo'), high: q(11, 'mo') }, '2-11 months'],
    [{ low: q(10, 'd') },                    '>=10 days'],
    [{ low: q(10, 'weeks') },                '>=10 weeks'],
    [{ high: q(10, 'a') },                   '<=10 years'],
    [{ low: q(10) },                         '>=10 years'],
  ])('has a range for the age %j under %s', (age, wanted) => {
    const male = { low: q(1), high: q(9), appliesTo: [{ text: 'Male' }] };
    expect(seenAs({ low: q(4), age }, male)).toBe(`${wanted}: >=4; Male: 1-9`);
  });

  it('has the members and components of panels under the panel’s code', () => {
    const code = { coding: [{ system: 'urn:x-lab', code: 'PANEL' }], text: 'Panel' };
    const { observations } = read(
      bundle(
        report(['urn:uuid:o1']),
        patient,
        observation('o1', {
          code,
          hasMember: [{ reference: 'Observation/o2' }],
          component: [{ code: { text: 'Part' }, valueInteger: 1 }],
        }),
        observation('o2', { valueInteger: 2 }),
      ),
    );
    expect(observations.map(({ test, name, value }) => [test.code, name, value])).toEqual([
      ['PANEL', 'Part', '1'],
      ['PANEL', 'Glucose', '2'],
    ]);
  });

  // prettier-ignore
  it.each([
    ['the placer number of its request',  { basedOn: [{ reference: 'ServiceRequest/s1' }] },                           ['KIT-1', 'GROUP-1']],
    ['a request that was not sent along', { basedOn: [{ identifier: { value: 'KIT-1' } }] },                           ['KIT-1']],
    ['the laboratory’s own number',       { identifier: [{ value: 'ACC-1' }] },                                        ['ACC-1']],
  ])('names its order by %s', (_what, named, names) => {
    const request = {
      resourceType: 'ServiceRequest',
      id: 's1',
      identifier: [{ type: { coding: [{ code: 'PLAC' }] }, value: 'KIT-1' }],
      requisition: { value: 'GROUP-1' },
    };
    expect(read(bundle(report([], named), patient, request)).sampleIds).toEqual(names);
  });

  it('that corrects a test is pending while another test is', () => {
    const told = (...statuses: string[]) => {
      const { status, isPending = false } = read(
        bundle(...statuses.map((each, at) => ({ ...report([]), id: `r${at}`, status: each })), patient),
      );
      return [status, isPending];
    };
    expect(told('corrected', 'preliminary')).toEqual(['corrected', true]);
    expect(told('corrected', 'final')).toEqual(['corrected', false]);
    expect(told('final', 'preliminary')).toEqual(['partial', false]);
  });

  it('is split by order', () => {
    const of = (id: string, order: string | undefined, result: string) =>
      report([result], { id, ...(order ? { basedOn: [{ identifier: { value: order } }] } : {}) });
    const values = ['o1', 'o2', 'o3', 'o4'].map((id, at) => observation(id, { valueInteger: at + 1 }));
    const given = bundle(
      of('r1', 'A', 'Observation/o1'),
      of('r2', 'B', 'Observation/o2'),
      of('r3', undefined, 'Observation/o3'),
      of('r4', 'A', 'Observation/o4'),
      patient,
      ...values,
    );
    const told = readAll(given).map((each) => [
      each.placerOrderId,
      each.observations.map(({ value }) => value).join(),
      each.patient?.lastName,
    ]);
    expect(told).toEqual([
      ['A', '1,4', 'Lovelace'],
      ['B', '2,3', 'Lovelace'],
    ]);
  });

  // prettier-ignore
  it.each<[string, object | undefined, string[]]>([
    ['nobody, so of the one before it',        undefined,                                                                 ['A Lovelace 1,2']],
    ['the same one',                           { reference: 'https://lab.example/fhir/Patient/p1' },                      ['A Lovelace 1,2']],
    ['somebody who was not sent along',        { reference: 'https://lab.example/fhir/Patient/p2' },                      ['A Lovelace 1', '- - 2']],
    ['somebody who is known by a number only', { identifier: { system: 'urn:x-lab', value: '88' } },                      ['A Lovelace 1', '- - 2']],
    ['somebody who is called by a name only',  { display: 'Grace Hopper' },                                               ['A Lovelace 1', '- - 2']],
  ])('without an order is of that before it where it is of the same person: %s', (_whom, subject, wanted) => {
    const given = bundle(
      report(['Observation/o1'], { basedOn: [{ identifier: { value: 'A' } }] }),
      report(['Observation/o2'], { id: 'r2', subject }),
      patient,
      observation('o1', { valueInteger: 1 }),
      observation('o2', { valueInteger: 2 }),
    );
    const told = readAll(given).map(({ placerOrderId, patient: of, observations }) =>
      [placerOrderId ?? '-', of?.lastName ?? '-', observations.map(({ value }) => value).join()].join(' '),
    );
    expect(told).toEqual(wanted);
  });

  it('of a separate order has only its own patient', () => {
    const of = (id: string, order: string, subject: string | undefined) =>
      report([], {
        id,
        basedOn: [{ identifier: { value: order } }],
        subject: subject && { reference: subject },
      });
    const told = (...reports: SentResource[]) =>
      readAll(bundle(...reports, patient)).map((each) => `${each.placerOrderId} ${each.patient?.lastName}`);
    expect(told(of('r1', 'A', 'Patient/p1'), of('r2', 'B', 'urn:uuid:77'))).toEqual([
      'A Lovelace',
      'B undefined',
    ]);
    expect(told(of('r1', 'A', undefined), of('r2', 'B', 'Patient/p1'))).toEqual(['A Lovelace', 'B Lovelace']);
  });

  it('can reuse ids across resource types', () => {
    const given = bundle(
      report(['Observation/1'], { id: '1', subject: { reference: 'Patient/1' } }),
      { ...patient, id: '1' },
      observation('1', { valueInteger: 4 }),
    );
    expect(read(given)).toMatchObject({ patient: { lastName: 'Lovelace' }, observations: [{ value: '4' }] });
  });

  it('can be stripped of an order with all resources of only that order', () => {
    const of = (order: string, result: string, more: object) =>
      report([result], { id: order, basedOn: [{ reference: `ServiceRequest/${order}` }], ...more });
    const request = (id: string) => ({ resourceType: 'ServiceRequest', id, identifier: [{ value: id }] });
    const lab = { resourceType: 'Organization', id: 'l1', name: 'Quest' };
    const performer = [{ reference: 'Organization/l1' }];
    const part = { hasMember: [{ reference: 'Observation/o3' }], performer };
    const given = bundle(
      of('A', 'Observation/o1', { performer }),
      of('B', 'Observation/o2', {}),
      patient,
      observation('o1', { valueInteger: 1 }),
      observation('o2', part),
      observation('o3', { valueInteger: 3 }),
      request('A'),
      request('B'),
      lab,
      { resourceType: 'Composition', id: 'c1', text: 'All that was found' },
    );
    const without = (...orders: string[]) =>
      removeFhirReports(
        given,
        { lab: 'quest', arrivedAt: new Date('2026-03-02T15:00:00Z') },
        ({ placerOrderId }) => orders.includes(placerOrderId ?? ''),
      );
    const rest = without('A');
    expect(rest).toEqual(
      bundle(
        of('B', 'Observation/o2', {}),
        patient,
        observation('o2', part),
        observation('o3', { valueInteger: 3 }),
        request('B'),
        lab,
      ),
    );
    expect(readAll(rest)).toEqual(readAll(given).slice(1));
    expect(without('A', 'B')).toBeUndefined();
  });

  it('can contain its parts', () => {
    const alone = report(['#o1'], {
      subject: { reference: '#p1' },
      contained: [patient, observation('o1', { valueInteger: 4 })],
    });
    expect(read(alone)).toMatchObject({ patient: { lastName: 'Lovelace' }, observations: [{ value: '4' }] });
    expect(read(alone).controlId).toBe(read(structuredClone(alone)).controlId);
  });

  it('needs no time of issue: that of the bundle counts, else that of arrival', () => {
    const unissued = bundle(report([], { issued: undefined }), patient);
    expect(read(unissued).reportedAt).toEqual(new Date('2026-03-02T15:00:00Z'));
    const dated = { ...unissued, timestamp: '2026-03-02T12:00:00Z' };
    expect(read(dated).reportedAt).toEqual(new Date('2026-03-02T12:00:00Z'));
  });

  // prettier-ignore
  it.each([
    ['no object',            'text',                                                                   ['body']],
    ['another resource',     { resourceType: 'Patient' },                                              ['body', 'resourceType']],
    ['no report',            bundle(patient),                                                          ['body', 'entry']],
    ['no status',            bundle(report([], { status: undefined })),                                ['body', 'entry', 0, 'resource', 'status']],
    ['a moment of no zone',  bundle(report([], { issued: '2026-03-02T10:00:00' })),                    ['body', 'entry', 0, 'resource', 'issued']],
    ['a missing result',     bundle(report(['Observation/none'])),                                     ['body', 'entry', 0, 'resource', 'result', 0]],
    ['a wrong value',        bundle(report(['Observation/o1']), observation('o1', { valueQuantity: { value: '5' } })), ['body', 'entry', 1, 'resource', 'valueQuantity', 'value']],
    ['a series',             bundle(report(['Observation/o1']), observation('o1', { valueSampledData: {} })), ['body', 'entry', 1, 'resource', 'valueSampledData']],
    ['a circle',             bundle(report(['Observation/o1']), observation('o1', { hasMember: [{ reference: 'Observation/o1' }] })), ['body', 'entry', 1, 'resource', 'hasMember', 0]],
    ['two patients',         bundle(report([]), { ...report([]), id: 'r2', subject: { reference: 'Patient/p2' } }, patient, { ...patient, id: 'p2' }), ['body', 'entry', 3, 'resource']],
    ['one name for two',     bundle(report([]), patient, { ...patient, birthDate: '1990-01-01' }),     ['body', 'entry', 2, 'resource']],
  ])('is rejected with %s, with its location', (_what, given, place) => {
    const refused = refusalOf(given);
    expect(refused).toMatchObject({ kind: 'invalid', detail: expect.arrayContaining([expect.objectContaining({ loc: place })]) });
  });

  it('is parsed or rejected for any input', () => {
    const whole = bundle(
      report(['Observation/o1']),
      patient,
      observation('o1', { valueQuantity: { value: 88, unit: 'mg/dL' } }),
    );
    const text = JSON.stringify(whole);
    const spoiled = fc
      .tuple(fc.nat(text.length), fc.nat(12), fc.string({ maxLength: 6 }))
      .map(([at, cut, put]) => {
        try {
          return JSON.parse(text.slice(0, at) + put + text.slice(at + cut));
        } catch {
          return undefined;
        }
      });
    fc.assert(
      fc.property(fc.oneof(spoiled, fc.jsonValue()), (given) => {
        expect([undefined, 'invalid']).toContain(refusalOf(given)?.kind);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('the presented form of a FHIR report', () => {
  const form = (...presentedForm: object[]) => read(bundle(report([], { presentedForm }), patient));
  const data = Buffer.from('%PDF-1.4 x %%EOF').toString('base64');

  it('is kept as a document, by its bytes', () => {
    const told = form({ contentType: 'text/html', data, title: 'Report' }, { url: 'https://lab.example/7' });
    expect(told.documents).toMatchObject([
      { title: 'Report', mediaType: 'application/pdf', content: Buffer.from('%PDF-1.4 x %%EOF') },
      { title: null, mediaType: null, address: 'https://lab.example/7' },
    ]);
    expect(told.testNotes).toMatchObject([{ note: expect.stringContaining('Report') }, {}]);
  });

  it('that has no end is kept with a note', () => {
    const cut = Buffer.from('%PDF-1.4 x').toString('base64');
    expect(form({ data: cut, title: 'Report' }).testNotes).toMatchObject([
      { note: 'The document Report seems to be incomplete: its end is missing.' },
      { note: expect.stringContaining('Reported in a document') },
    ]);
  });

  it('that cannot be read is doubted in a note', () => {
    const told = form({ contentType: 'application/pdf', data: '*' });
    expect(told.documents).toBeUndefined();
    expect(told.testNotes).toMatchObject([{ note: expect.stringContaining('not base64') }]);
  });
});
