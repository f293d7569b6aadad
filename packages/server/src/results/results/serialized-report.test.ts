import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { order } from '../../../test/examples.ts';
import { findLabTestId } from '../../../test/orders.ts';
import { useTestService, useTestTeam } from '../../../test/service-hooks.ts';
import { inTenant } from '../../app.ts';
import { requireFound } from '../../platform/errors.ts';
import { getOrder } from '../../ordering/orders/orders.ts';
import { orderedTestOf } from './ordered-test.ts';
import { parseSerializedReport, parseStoredReport, serializeReport } from './serialized-report.ts';
import { withParsedRanges } from './parsed-ranges.ts';
import { findReport } from './store.ts';
import type { StoredReport } from './stored-report.ts';

const service = useTestService();
const team = useTestTeam(service);

async function reported(wish: object): Promise<string> {
  const testId = await findLabTestId(team, 'walk_in_test');
  const { id } = (await team.post('/v3/order', order(await team.user(), testId))).json.order;
  await team.post(`/v3/order/${id}/test`, wish);
  return id;
}

const WISHES = [
  { interpretation: 'normal' },
  { interpretation: 'critical' },
  { interpretation: 'abnormal', result_types: ['range', 'comment'] },
  { has_missing_results: true },
];

const answersOf = async (id: string) => ({
  result: (await team.get(`/v3/order/${id}/result`)).json,
  metadata: (await team.get(`/v3/order/${id}/result/metadata`)).json,
  fhir: JSON.parse((await team.get(`/v3/order/${id}/result/fhir`)).text),
});

describe('a result that was serialized on storing', () => {
  it.each(WISHES)('has the current sample id, and is otherwise the same: %j', async (wish) => {
    const id = await reported(wish);
    const printed = await answersOf(id);
    expect(printed.result.results.length).toBeGreaterThan(0);
    const newName = `RENAMED-${id}`;
    await service.ownerPool.query('update lab_order set sample_id = $2 where id = $1', [id, newName]);
    const sampleId = printed.result.metadata.specimen_number;
    const renamed = JSON.stringify(printed).replaceAll(sampleId, newName);
    expect(renamed).toContain(`"source_sample_id":"${newName}"`);
    expect(await answersOf(id)).toEqual(JSON.parse(renamed));
  });

  it.each(WISHES)('equals a result that an earlier release stored whole: %j', async (wish) => {
    const id = await reported(wish);
    const answers = await answersOf(id);
    const document = await inTenant(service.app, team.tenant, async (work) => {
      const report = requireFound(await findReport(work, id), 'Results');
      const { status, interpretation, reportedAt, version: _version, ...rest } = report;
      const whole = { ...rest, ordered: orderedTestOf(await getOrder(work, id)) };
      expect([status, interpretation, reportedAt]).not.toContain(undefined);
      return work.cipher.seal(JSON.stringify(whole), 'lab_result.document');
    });
    const { rowCount } = await service.ownerPool.query(
      'update lab_result set document = $2, printed = null where order_id = $1 and document is null',
      [id, document],
    );
    expect(rowCount).toBe(1);
    expect(await answersOf(id)).toEqual(answers);
  });

  it('is read as earlier releases serialized it, with the whole ordered test', () => {
    const ordered = { name: 'Lipid Panel', lab: { name: 'Quest Diagnostics', slug: 'quest' }, markers: [] };
    const head = {
      version: 1,
      reportedAt: '2026-03-01T08:00:00.000Z',
      laboratory: 'QD',
      ordered,
      sampleId: 'S1',
    };
    const read = parseSerializedReport(Buffer.from(`${JSON.stringify(head)}\n[{"a":"µ"}]\n[]`));
    expect(read).toMatchObject({ head: { orderedFrom: 'Quest Diagnostics' }, sampleId: 'S1' });
    expect([`${read.results}`, `${read.missing}`]).toEqual(['[{"a":"µ"}]', '[]']);
  });

  it('has the requested version, and is a 404 without one', async () => {
    const id = await reported({});
    expect((await team.get(`/v3/order/${id}/result?version=1`)).status).toBe(200);
    expect((await team.get(`/v3/order/${id}/result?version=2`)).status).toBe(404);
  });
});

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'a\nb', 'µmol/l', '<5.7'));
const textOrNone = fc.option(text);
const finite = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => (value === 0 ? 0 : value));
const interpretation = fc.constantFrom(
  'normal' as const,
  'abnormal' as const,
  'critical' as const,
  'unknown' as const,
);
const moment = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((at) => at.toISOString());
const analyte = fc.record({
  name: text,
  slug: text,
  loinc: textOrNone,
  loincSlug: textOrNone,
  providerId: textOrNone,
});
const bounds = fc
  .record({
    min: fc.option(finite),
    minInside: fc.boolean(),
    max: fc.option(finite),
    maxInside: fc.boolean(),
  })
  .filter(({ min, max }) => min !== null || max !== null);
const markers = fc.oneof(
  fc.record({ markerId: fc.nat() }),
  fc
    .array(fc.nat(), { minLength: 2, maxLength: 3 })
    .map((ids) => ({ markerId: ids[0] ?? 0, markerIds: ids })),
);
const result = fc
  .tuple(
    fc.oneof(markers, fc.constant({ markerId: null })),
    fc.record(
      {
        expected: analyte,
        type: fc.constantFrom(
          'numeric' as const,
          'range' as const,
          'comment' as const,
          'coded_value' as const,
        ),
        result: text,
        value: finite,
        unit: textOrNone,
        ucum: textOrNone,
        unitDiffers: fc.constant(true),
        referenceRange: textOrNone,
        bounds: fc.option(bounds),
        isAbove: fc.option(fc.boolean()),
        isBelow: fc.option(fc.boolean()),
        interpretation,
        sourceInterpretation: fc.option(interpretation),
        flags: fc.array(text, { maxLength: 2 }),
        status: fc.constantFrom('final' as const, 'preliminary' as const, 'corrected' as const),
        notes: textOrNone,
        performingLaboratory: textOrNone,
        observedAt: fc.option(moment),
      },
      {
        requiredKeys: [
          'expected',
          'type',
          'result',
          'value',
          'unit',
          'referenceRange',
          'bounds',
          'isAbove',
          'isBelow',
          'interpretation',
          'notes',
          'performingLaboratory',
          'observedAt',
        ],
      },
    ),
  )
  .map(([ids, said]) => ({ ...ids, ...said }));
const report = fc.record({
  version: fc.nat(),
  status: fc.constantFrom('partial' as const, 'final' as const, 'corrected' as const),
  interpretation,
  reportedAt: moment.map((at) => new Date(at)),
  laboratory: text,
  clia: textOrNone,
  collectedAt: fc.option(moment),
  receivedAt: fc.option(moment),
  notes: fc.array(text, { maxLength: 2 }),
  results: fc.array(result, { maxLength: 4 }),
  missing: fc.array(
    fc
      .tuple(markers, fc.record({ expected: analyte, failureType: text, note: textOrNone }))
      .map(([ids, said]) => ({ ...ids, ...said })),
    { maxLength: 3 },
  ),
});

it('restores a serialized report unchanged, whatever it contains', async () => {
  const id = await reported({});
  const of = await inTenant(service.app, team.tenant, (work) => getOrder(work, id));
  fc.assert(
    fc.property(report, (said: StoredReport) => {
      expect(parseStoredReport(Buffer.from(serializeReport(of, withParsedRanges(said))))).toEqual(said);
    }),
    { numRuns: 500 },
  );
});
