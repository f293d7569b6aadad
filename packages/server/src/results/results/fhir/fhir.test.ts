import fc from 'fast-check';
import { Fhir } from 'fhir';
import { beforeAll, describe, expect, it } from 'vitest';
import { physician } from '../../../../test/examples.ts';
import { createOrder } from '../../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../../test/service-hooks.ts';
import { runsOfPart } from '../../../../test/property-runs.ts';
import { readFhirReports } from '../../../adapters/lab-network/fhir/fhir.ts';
import type { LabReport, RequestedTest } from '../../../adapters/lab-network/port.ts';
import { inTenant } from '../../../app.ts';
import { getOrder, buildRequisition, type Order } from '../../../ordering/orders/orders.ts';
import { stringifyPreciseJson } from '../../../platform/precise-json.ts';
import { interpretReport } from '../interpretation/interpretation.ts';
import { saveReport } from '../results.ts';
import { toFhirBundle } from './fhir.ts';

const service = useTestService();
const team = useTestTeam(service);

const fhir = new Fhir();
/** What is wrong; that the package does not carry the big value sets, as LOINC, it only remarks. */
function faultsOf(bundle: object) {
  const { valid, messages } = fhir.validate(bundle, { errorOnUnexpected: true });
  const faults = messages.filter(
    ({ severity, message }) => !/value set/i.test(message ?? '') || severity === 'error',
  );
  if (valid !== (faults.length === 0)) throw new Error(JSON.stringify(messages));
  return faults;
}

interface BundleEntry {
  readonly fullUrl: string;
  // Tests read resources of every shape.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly resource: any;
}
const ofType = (bundle: { entry: BundleEntry[] }, type: string) =>
  bundle.entry.map(({ resource }) => resource).filter(({ resourceType }) => resourceType === type);

/** Every reference leads to an entry: the bundle can be read alone. */
function danglingOf(bundle: { entry: BundleEntry[] }): string[] {
  const known = new Set(bundle.entry.map(({ fullUrl }) => fullUrl));
  const named = [...JSON.stringify(bundle).matchAll(/"reference":"([^"]*)"/g)].map(([, name]) => name ?? '');
  return named.filter((name) => !known.has(name));
}

const placed = (): Promise<string> => createOrder(team, 'walk_in_test', { physician });

const fhirOf = (id: string, version?: number) =>
  team.get(`/v3/order/${id}/result/fhir${version === undefined ? '' : `?version=${version}`}`);

describe('the results of an order as FHIR', () => {
  it('are a 404 before there are results', async () => {
    expect((await fhirOf(await placed())).status).toBe(404);
  });

  // prettier-ignore
  it.each([
    [{ interpretation: 'normal' },                                       'completed',       'final'],
    [{ interpretation: 'critical' },                                     'completed',       'final'],
    [{ interpretation: 'unknown' },                                      'completed',       'final'],
    [{ interpretation: 'abnormal', result_types: ['numeric'] },          'completed',       'final'],
    [{ interpretation: 'abnormal', result_types: ['range'] },            'completed',       'final'],
    [{ interpretation: 'abnormal', result_types: ['comment'] },          'completed',       'final'],
    [{ interpretation: 'abnormal', result_types: ['coded_value'] },      'completed',       'final'],
    [{ interpretation: 'normal', result_types: ['numeric', 'range', 'comment', 'coded_value'], has_missing_results: true }, 'completed', 'final'],
    [{ interpretation: 'normal' },                                       'partial_results', 'partial'],
    [{ interpretation: 'abnormal' },                                     'corrected',       'corrected'],
  ])('are valid R4 with %j as far as %s', async (flags, to, status) => {
    const id = await placed();
    const simulated = await team.post(`/v3/order/${id}/test?final_status=${to}`, flags);
    expect(simulated.status).toBe(200);
    const answer = await fhirOf(id);
    expect(answer.headers['content-type']).toBe('application/fhir+json');
    const bundle = JSON.parse(answer.text);
    expect([faultsOf(bundle), danglingOf(bundle)]).toEqual([[], []]);
    const json = (await team.get(`/v3/order/${id}/result`)).json;
    const [report] = ofType(bundle, 'DiagnosticReport');
    expect(report.status).toBe(status);
    const parts = ofType(bundle, 'Observation').filter(({ hasMember }) => hasMember === undefined);
    expect(parts.length).toBe(json.results.length + json.missing_results.length);
    expect(parts.filter(({ dataAbsentReason }) => dataAbsentReason !== undefined).length).toBe(json.missing_results.length);
    const types = bundle.entry.map(({ resource }: BundleEntry) => resource.resourceType);
    for (const type of ['Patient', 'ServiceRequest', 'Specimen', 'Organization', 'Practitioner']) expect(types).toContain(type);
  });

  it('are one version each', async () => {
    const id = await placed();
    await team.post(`/v3/order/${id}/test?final_status=partial_results`);
    await team.post(`/v3/order/${id}/test?final_status=corrected`);
    const [first, newest] = [JSON.parse((await fhirOf(id, 1)).text), JSON.parse((await fhirOf(id)).text)];
    expect([first.meta.versionId, ofType(first, 'DiagnosticReport')[0].status]).toEqual(['1', 'partial']);
    expect(Number(newest.meta.versionId)).toBeGreaterThan(1);
    expect(ofType(newest, 'DiagnosticReport')[0]).toMatchObject({
      status: 'corrected',
      id: ofType(first, 'DiagnosticReport')[0].id,
    });
    expect((await fhirOf(id, 99)).status).toBe(404);
  });

  it('are hidden from other teams', async () => {
    const id = await placed();
    await team.post(`/v3/order/${id}/test`);
    const stranger = await service.team();
    expect((await stranger.get(`/v3/order/${id}/result/fhir`)).status).toBe(404);
  });
});

describe('a report that was read', () => {
  let order: Order;
  let tests: readonly RequestedTest[];
  beforeAll(async () => {
    const id = await placed();
    await team.post(`/v3/order/${id}/test?final_status=requisition_created`);
    [order, tests] = await inTenant(service.app, team.tenant, async (work) => {
      const found = await getOrder(work, id);
      return [found, (await buildRequisition(work, found)).tests] as const;
    });
  });

  // prettier-ignore
  const PRINTED = ['5.70', '1,234', '-2.5', '5,7', '1.2E+03', '<1.2', '> OR = 200', '0-5', '1:160', '<1:20', 'Positive', '2+', 'See note', '5.7 H', 'Größe <&>"'];
  // prettier-ignore
  const RANGES = [null, '1-10', '<5.7', '< OR = 9.9', '> OR = 2', '-2.0 - 2.0', 'M: 13-17 F: 12-15', 'Negative', '(1.0, 2.0]'];
  const reportOf = (
    parts: readonly {
      printed: string;
      range: string | null;
      unit: string | null;
      flags: readonly string[];
      status: 'final' | 'corrected' | 'cancelled';
    }[],
  ) => {
    const [test] = tests;
    return {
      lab: order.lab_slug,
      accountNumber: null,
      controlId: 'x',
      placerOrderId: order.id,
      sampleIds: [order.sample_id ?? ''],
      status: 'final' as const,
      patient: null,
      collectedAt: new Date('2026-03-01T10:00:00Z'),
      receivedAt: new Date('2026-03-01T20:00:00Z'),
      reportedAt: new Date('2026-03-02T10:00:00Z'),
      laboratory: 'Testing Laboratory',
      clia: '05D0642827',
      notes: ['Fasting'],
      observations: parts.map(({ printed, range, unit, flags, status }, at) => ({
        test: { code: test?.providerId ?? null, name: test?.name ?? null, loinc: null },
        code: test?.expected[at]?.providerId ?? `X${at}`,
        name: test?.expected[at]?.name ?? `Other ${at}`,
        loinc: null,
        form: 'text' as const,
        value: status === 'cancelled' ? null : printed,
        unit,
        referenceRange: range,
        flags,
        status,
        notes: status === 'cancelled' ? ['QNS'] : [],
        performingLaboratory: 'Other Laboratory',
        observedAt: new Date('2026-03-01T10:00:00Z'),
      })),
    };
  };
  const about = { dob: '1985-12-10', gender: 'female' };
  const seen = ({ results, missing, ...rest }: LabReport) => ({
    results: results
      .map(
        ({
          expected,
          type,
          result,
          value,
          unit,
          referenceRange,
          interpretation,
          performingLaboratory,
          observedAt,
          notes,
        }) => ({
          slug: expected.slug,
          loinc: expected.loinc,
          type,
          result,
          value,
          unit,
          referenceRange,
          interpretation,
          performingLaboratory,
          observedAt,
          notes,
        }),
      )
      .toSorted((a, b) => a.slug.localeCompare(b.slug)),
    missing: missing.map(({ expected, failureType, note }) => [expected.slug, failureType, note]).toSorted(),
    moments: [rest.collectedAt, rest.receivedAt, rest.reportedAt.toISOString()],
    by: [rest.laboratory, rest.clia],
    notes: rest.notes,
  });
  const stored = (report: LabReport) => ({
    ...JSON.parse(JSON.stringify(report)),
    reportedAt: report.reportedAt,
    version: 1,
    interpretation: 'unknown' as const,
  });

  it.each([0, 1, 2, 3])('is the same after it was written as FHIR and read again (%i)', (index) => {
    const part = fc.record({
      printed: fc.constantFrom(...PRINTED),
      range: fc.constantFrom(...RANGES),
      unit: fc.constantFrom(null, 'mg/dL', 'K/uL', 'odd unit'),
      flags: fc.constantFrom([], ['H'], ['LL'], ['A'], ['N']),
      status: fc.constantFrom('final' as const, 'final' as const, 'corrected' as const, 'cancelled' as const),
    });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 8 }), (parts) => {
        // A unit belongs to what was measured.
        const given = parts.map((each) =>
          /^[\d.,<>-]/.test(each.printed) && !/[:+]$|:\d|\d\+/.test(each.printed)
            ? each
            : { ...each, unit: null },
        );
        const report = interpretReport(reportOf(given), tests, about);
        const bundle = JSON.parse(JSON.stringify(toFhirBundle(order, stored(report))));
        const [again] = readFhirReports(bundle, { lab: order.lab_slug, arrivedAt: report.reportedAt });
        if (!again) throw new Error('No report');
        expect(again).toMatchObject({
          placerOrderId: order.id,
          sampleIds: [order.sample_id, order.id],
          patient: {
            firstName: 'Ada',
            lastName: 'Lovelace',
            dob: '1985-12-10',
            gender: 'female',
            patientId: order.user_id,
          },
        });
        expect(seen(interpretReport(again, tests, about))).toEqual(seen(report));
      }),
      runsOfPart(index, 50),
    );
  });

  it('is valid R4, whatever was printed', () => {
    const parts = PRINTED.flatMap((printed, at) => [
      {
        printed,
        range: RANGES[at % RANGES.length] ?? null,
        unit: at % 2 ? 'mg/dL' : null,
        flags: [['H'], ['<'], ['AA'], ['U'], ['R'], ['POS'], []][at % 7] ?? [],
        status: 'final' as const,
      },
      { printed, range: null, unit: 'x10E3/uL', flags: [], status: 'cancelled' as const },
    ]);
    const bundle = JSON.parse(
      JSON.stringify(toFhirBundle(order, stored(interpretReport(reportOf(parts), tests, about)))),
    );
    expect([faultsOf(bundle), danglingOf(bundle)]).toEqual([[], []]);
  });

  it('has the comparator, the UCUM unit and the inclusive bounds of a number', () => {
    const one = (printed: string, range: string) => {
      const report = interpretReport(
        reportOf([{ printed, range, unit: 'x10E3/uL', flags: [], status: 'final' }]),
        tests,
        about,
      );
      const bundle = JSON.parse(JSON.stringify(toFhirBundle(order, stored(report))));
      return ofType(bundle, 'Observation').find(({ referenceRange }) => referenceRange !== undefined);
    };
    const UCUM = { system: 'http://unitsofmeasure.org', code: '10*3/uL', unit: 'x10E3/uL' };
    expect(one('<1.2', '1-10')).toMatchObject({
      valueQuantity: { value: 1.2, comparator: '<', ...UCUM },
      referenceRange: [{ low: { value: 1, ...UCUM }, high: { value: 10 }, text: '1-10' }],
    });
    expect(one('5.70', '<5.7')).toMatchObject({
      valueQuantity: { value: 5.7, extension: [{ valueString: '5.70' }] },
      interpretation: [{ coding: [{ code: 'H' }] }],
    });
    expect(one('5.70', '<5.7').referenceRange).toEqual([{ text: '<5.7' }]);
  });

  // prettier-ignore
  it.each([
    ['5.10',           null,                    '"value":5.10,'],
    ['5.0',            null,                    '"value":5.0,'],
    ['-0.50',          null,                    '"value":-0.50,'],
    ['5,70',           null,                    '"value":5.70,'],
    ['1,234.50',       null,                    '"value":1234.50,'],
    ['1.20E+03',       null,                    '"value":1.20E+03,'],
    ['1.20 x 10^3',    null,                    '"value":1.20e3,'],
    ['12345678901234567890', null,              '"value":12345678901234567890,'],
    ['5.70 H',         null,                    '"value":5.70,'],
    ['5.',             null,                    '"value":5,'],
    ['.50',            null,                    '"value":0.50,'],
    ['007.0',          null,                    '"value":7.0,'],
    ['<0.10',          null,                    '"value":0.10,"comparator":"<"'],
    ['0.10-0.50',      null,                    '"low":{"value":0.10,"unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"},"high":{"value":0.50,'],
    ['5.10',           '4.0-5.60',              '"low":{"value":4.0,"unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"},"high":{"value":5.60,'],
    ['5.10',           '-2.0 - 2.0',            '"low":{"value":-2.0,"unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"},"high":{"value":2.0,'],
    ['5.10',           'M: 13.0-17.0 F: 12.0-15.50', '"low":{"value":12.0,"unit":"mg/dL","system":"http://unitsofmeasure.org","code":"mg/dL"},"high":{"value":15.50,'],
  ])('of %s and the range %s is written with its precision', (printed, range, written) => {
    const given = reportOf([{ printed, range, unit: 'mg/dL', flags: [], status: 'final' }]);
    const text = stringifyPreciseJson(toFhirBundle(order, stored(interpretReport(given, tests, about))));
    expect(text).toContain(written);
    expect(faultsOf(JSON.parse(text))).toEqual([]);
  });

  it('is returned as JSON with the data from the laboratory', async () => {
    const report = interpretReport(
      reportOf([{ printed: '5.70', range: '<5.7', unit: 'mg/dL', flags: ['HH'], status: 'final' }]),
      tests,
      about,
    );
    await inTenant(service.app, team.tenant, (work) => saveReport(work, order, report));
    const { json } = await team.get(`/v3/order/${order.id}/result`);
    expect(json.results[0]).toMatchObject({
      result: '5.70',
      value: 5.7,
      unit: 'mg/dL',
      reference_range: '<5.7',
      min_range_value: null,
      max_range_value: 5.7,
      is_above_max_range: true,
      is_below_min_range: false,
      interpretation: 'critical',
      source_interpretation: 'critical',
      performing_laboratory: 'Other Laboratory',
      timestamp: '2026-03-01T10:00:00.000+00:00',
    });
    expect(json.metadata).toMatchObject({
      date_collected: '2026-03-01T10:00:00.000+00:00',
      date_received: '2026-03-01T20:00:00.000+00:00',
      provider: 'Mary Putnam',
      'clia_#': '05D0642827',
      interpretation: 'critical',
    });
    expect(json.sample_information[order.sample_id ?? '']).toMatchObject({
      clinical_information: { fasting: true, notes: 'Fasting' },
      performing_laboratories: { 'Other Laboratory': { name: 'Other Laboratory' } },
    });
    expect(json.missing_results.length).toBeGreaterThan(0);
    expect((await fhirOf(order.id)).text).toContain('"value":5.70,');
    const exported = await service.http.server.inject({
      url: `/v1/org/${team.orgId}/team/${team.tenant.teamId}/sandbox/user_export/${order.user_id}`,
      headers: { accept: 'application/x-ndjson', 'x-management-key': team.managementKey },
    });
    expect(exported.body).toContain('"value":5.70,');
  });
});
