import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openHl7Loopback, type Hl7Loopback } from '../../../../test/hl7-loopback.ts';
import type { ExpectedResult, LabNetwork, RequestedTest, Requisition } from '../port.ts';
import type { SimulatedLaboratory } from './simulated-laboratory.ts';

const expected = (slug: string, change: Partial<ExpectedResult> = {}): ExpectedResult => ({
  name: slug,
  slug,
  loinc: null,
  loincSlug: null,
  providerId: slug.toUpperCase(),
  unit: 'mg/dL',
  kind: 'numeric',
  decimals: 0,
  low: 70,
  high: 99,
  rangeText: '70-99',
  criticalLow: 40,
  criticalHigh: 450,
  normalText: null,
  abnormalText: null,
  ...change,
});

const panel: RequestedTest = {
  markerId: 1,
  providerId: 'P1',
  name: 'Panel',
  slug: 'panel',
  expected: [
    expected('glucose', { loinc: '2345-7' }),
    expected('culture', {
      kind: 'coded',
      unit: null,
      rangeText: null,
      normalText: 'No growth',
      abnormalText: 'Growth',
    }),
  ],
};
const requisition: Requisition = {
  tenant: { teamId: '01900000-0000-7000-8000-00000000000a', environment: 'sandbox' },
  orderId: '01900000-0000-7000-8000-000000000001',
  lab: 'labcorp',
  accountNumber: null,
  patient: { firstName: 'Ada', lastName: 'Lovelace', dob: '1985-12-10', gender: 'female' },
  tests: [panel],
  clinicalNotes: null,
  priority: false,
};

let line: Hl7Loopback;
let network: LabNetwork;
let laboratory: SimulatedLaboratory;
const received = () => line.received;

beforeAll(async () => {
  line = await openHl7Loopback((code) => (code === 'P1' ? panel : undefined));
  ({ laboratory } = line);
});
afterAll(() => line.close());
beforeEach(() => {
  laboratory.setAcknowledgement('AA');
  network = line.network();
});

describe('the HL7 network, against a laboratory behind a socket', () => {
  it('sends one message per requisition, and its cancellation under the same number', async () => {
    const before = laboratory.receivedMessages.length;
    const { sampleId } = await network.requestTests(requisition);
    await network.requestTests(requisition);
    expect(laboratory.receivedMessages.length - before).toBe(1);
    expect(laboratory.orders.get(sampleId)?.cancelled).toBe(false);
    await network.cancelTests(requisition);
    expect(laboratory.orders.get(sampleId)?.cancelled).toBe(true);
  });

  it.each([false, true])(
    'has every expected result sent once, missing ones said (%s)',
    async (hasMissingResults) => {
      const { sampleId } = await network.requestTests(requisition);
      expect(await line.report(sampleId, { hasMissingResults })).toEqual({
        code: 'AA',
        text: null,
      });
      const report = received().at(-1);
      expect(report).toMatchObject({
        placerOrderId: sampleId,
        sampleIds: [sampleId, `F${sampleId}`],
        status: 'final',
        patient: { firstName: 'Ada', lastName: 'Lovelace', dob: '1985-12-10', gender: 'female' },
      });
      expect(report?.observations.map(({ code }) => code).toSorted()).toEqual(['CULTURE', 'GLUCOSE']);
      const cancelled = report?.observations.filter(({ status }) => status === 'cancelled') ?? [];
      expect(cancelled.length > 0).toBe(hasMissingResults);
      expect(cancelled.every(({ value, notes }) => value === null && notes.length === 1)).toBe(true);
      const glucose = report?.observations.find(({ code }) => code === 'GLUCOSE');
      expect(glucose?.loinc).toBe('2345-7');
    },
  );

  it.each(['AE', 'AR'] as const)('reports when the laboratory answers %s', async (code) => {
    laboratory.setAcknowledgement(code);
    await expect(network.requestTests({ ...requisition, orderId: 'refused' })).rejects.toThrow(
      'Refused as asked',
    );
  });

  it('reports an order that was placed at the laboratory by hand', async () => {
    const text = [
      'MSH|^~\\&|US|HERE|LIS|LAB|20260302||ORM^O01|H1|P|2.3.1',
      'PID|1||1||Lovelace^Ada||19851210|F',
      'ORC|NW|BY-HAND',
      'OBR|1|BY-HAND||P1^Panel^L',
    ].join('\r');
    laboratory.placeOrder(Buffer.from(text));
    expect((await line.report('BY-HAND')).code).toBe('AA');
    expect(received().at(-1)).toMatchObject({ placerOrderId: 'BY-HAND', patient: { lastName: 'Lovelace' } });
    expect(
      received()
        .at(-1)
        ?.observations.map(({ code }) => code)
        .toSorted(),
    ).toEqual(['CULTURE', 'GLUCOSE']);
  });
});
