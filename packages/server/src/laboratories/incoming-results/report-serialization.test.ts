import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import { deserializeReport, serializeReport } from './report-serialization.ts';

const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('', 'Glucose', 'a\nb', 'µmol/l'));
const textOrNone = fc.option(text);
const moment = fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true });
const texts = fc.array(text, { maxLength: 3 });
const test = fc.record({ code: textOrNone, name: textOrNone, loinc: textOrNone });

const origin = fc.record(
  { filler: text, specimen: text, drawnAt: moment, isDay: fc.constant(true as const) },
  { requiredKeys: [] },
);

const observation = fc
  .tuple(
    fc.record({
      test: fc.oneof(test, fc.constant({ code: 'CMP', name: 'Metabolic panel', loinc: null })),
      code: textOrNone,
      name: text,
      loinc: textOrNone,
      form: fc.constantFrom('number' as const, 'structured' as const, 'text' as const, 'coded' as const),
      value: textOrNone,
      unit: textOrNone,
      referenceRange: textOrNone,
      flags: texts,
      status: fc.constantFrom(
        'final' as const,
        'preliminary' as const,
        'corrected' as const,
        'cancelled' as const,
      ),
      notes: texts,
      performingLaboratory: textOrNone,
      observedAt: fc.option(moment),
    }),
    fc.option(text),
    fc.option(fc.constant(true as const)),
    fc.option(origin),
    fc.record(
      {
        snomed: text,
        method: text,
        statement: fc.constantFrom('pending' as const, 'confirmation' as const, 'detail' as const),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([said, subId, isAside, from, rare]) => ({
    ...said,
    ...rare,
    ...(from === null ? {} : { origin: from }),
    ...(subId === null ? {} : { subId }),
    ...(isAside === null ? {} : { isAside }),
  }));

const patient = fc.record({
  firstName: textOrNone,
  lastName: textOrNone,
  dob: textOrNone,
  gender: fc.constantFrom('male' as const, 'female' as const, 'other' as const, null),
  patientId: textOrNone,
});

const report: fc.Arbitrary<ReceivedReport> = fc.record(
  {
    lab: text,
    accountNumber: textOrNone,
    controlId: text,
    placerOrderId: textOrNone,
    sampleIds: texts,
    status: fc.constantFrom('partial' as const, 'final' as const, 'corrected' as const),
    patient: fc.option(patient),
    collectedAt: fc.option(moment),
    receivedAt: fc.option(moment),
    reportedAt: moment,
    laboratory: textOrNone,
    clia: textOrNone,
    observations: fc.array(observation, { maxLength: 5 }),
    notes: texts,
    testNotes: fc.array(fc.record({ test, note: text }), { maxLength: 3 }),
  },
  {
    requiredKeys: [
      'lab',
      'accountNumber',
      'controlId',
      'placerOrderId',
      'sampleIds',
      'status',
      'patient',
      'collectedAt',
      'receivedAt',
      'reportedAt',
      'laboratory',
      'clia',
      'observations',
      'notes',
    ],
  },
);

describe('a received report', () => {
  it('is restored unchanged, whatever it contains', () => {
    fc.assert(
      fc.property(report, (said) => {
        expect(deserializeReport(serializeReport(said))).toEqual(said);
      }),
      { numRuns: 500 },
    );
  });

  it('is read from the format of earlier versions', () => {
    fc.assert(
      fc.property(report, (said) => {
        expect(deserializeReport(JSON.stringify(said))).toEqual(said);
      }),
    );
  });

  it('has equal text for equal content, and contains each panel once', () => {
    fc.assert(
      fc.property(report, (said) => {
        expect(serializeReport(structuredClone(said))).toBe(serializeReport(said));
      }),
    );
    const [said] = fc.sample(report, 1);
    const panel = { code: 'CMP', name: 'Comprehensive Metabolic Panel', loinc: null };
    const [one] = fc.sample(observation, 1);
    if (!said || !one) throw new Error('Nothing was made');
    const observations = Array.from({ length: 20 }, () => ({ ...one, test: { ...panel } }));
    expect(serializeReport({ ...said, observations }).split(panel.name)).toHaveLength(2);
  });
});
