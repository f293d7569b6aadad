import { afterAll, describe, expect, it } from 'vitest';
import { openHl7Loopback, type Hl7Loopback } from '../../../test/hl7-loopback.ts';
import type {
  LabAnalyte,
  ExpectedResult,
  LabNetwork,
  PlacedRequisition,
  SimulatedReportRequest,
  Requisition,
} from './port.ts';
import { createSimulatedLabNetwork } from './simulated.ts';

const glucose: ExpectedResult = {
  name: 'Glucose',
  slug: 'glucose',
  loinc: '2345-7',
  loincSlug: 'glucose',
  providerId: 'G1',
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
};
const culture: ExpectedResult = {
  ...glucose,
  name: 'Culture',
  slug: 'culture',
  providerId: 'C1',
  kind: 'coded',
  unit: null,
  low: null,
  high: null,
  rangeText: null,
  criticalLow: null,
  criticalHigh: null,
  normalText: 'No growth',
  abnormalText: 'Growth',
};

const requisition: Requisition = {
  tenant: { teamId: '01900000-0000-7000-8000-00000000000a', environment: 'production' },
  orderId: '01900000-0000-7000-8000-000000000001',
  lab: 'labcorp',
  accountNumber: null,
  patient: { firstName: 'Ada', lastName: 'Lovelace', dob: '1985-12-10', gender: 'female' },
  tests: [{ markerId: 1, providerId: 'P1', name: 'Panel', slug: 'panel', expected: [glucose, culture] }],
  clinicalNotes: null,
  priority: false,
};

const at = new Date('2026-03-02T15:00:00Z');
const usual: SimulatedReportRequest = {
  interpretation: 'normal',
  resultTypes: null,
  hasMissingResults: false,
  status: 'final',
};
const placed = (sampleId: string, wish: Partial<SimulatedReportRequest> = {}): PlacedRequisition => ({
  ...requisition,
  sampleId,
  collectedAt: at,
  receivedAt: at,
  reportedAt: at,
  wish: { ...usual, ...wish },
});

/** The results that a laboratory reported for a requisition, as slugs. */
interface ReportedSlugs {
  readonly measured: readonly string[];
  readonly missing: readonly string[];
}

/** An implementation of the port, with its laboratory. */
interface NetworkImplementation {
  readonly network: LabNetwork;
  /** Makes the laboratory report, and returns what arrived through this implementation. */
  reported(sampleId: string, wish: Partial<SimulatedReportRequest>): Promise<ReportedSlugs>;
}

async function simulated(): Promise<NetworkImplementation> {
  const network = createSimulatedLabNetwork();
  const slugs = (told: readonly { expected: LabAnalyte }[] = []) => told.map(({ expected }) => expected.slug);
  return {
    network,
    reported: async (sampleId, wish) => {
      const [report] = await network.reports(placed(sampleId, wish));
      return { measured: slugs(report?.results), missing: slugs(report?.missing) };
    },
  };
}

let line: Hl7Loopback | undefined;
afterAll(() => line?.close());

/**
 * Orders go out by MLLP and results come in by it; what is in between is in memory, the outbox that keeps has tests of
 * its own.
 */
async function hl7(): Promise<NetworkImplementation> {
  const open = (line ??= await openHl7Loopback((code) =>
    requisition.tests.find(({ providerId }) => providerId === code),
  ));
  const slugOf = (code: string | null) =>
    requisition.tests.flatMap(({ expected }) => expected).find(({ providerId }) => providerId === code)
      ?.slug ?? '';
  return {
    network: open.network(),
    reported: async (sampleId, wish) => {
      const before = open.received.length;
      await open.report(sampleId, wish);
      const seen = open.received.slice(before).flatMap(({ observations }) => observations);
      const slugs = (isMissing: boolean) =>
        seen.filter(({ value }) => (value === null) === isMissing).map(({ code }) => slugOf(code));
      return { measured: slugs(false), missing: slugs(true) };
    },
  };
}

/** The contract of every implementation of the port. */
const bodies: [string, () => Promise<NetworkImplementation>][] = [
  ['the simulated network', simulated],
  ['the HL7 network, against a laboratory behind a socket', hl7],
];

describe.each(bodies)('%s', (_name, open) => {
  it('places one requisition for repeated requests', async () => {
    const { network } = await open();
    const first = await network.requestTests(requisition);
    expect(await network.requestTests(requisition)).toEqual(first);
    const other = await network.requestTests({
      ...requisition,
      orderId: '01900000-0000-7000-8000-000000000002',
    });
    expect(other.sampleId).not.toBe(first.sampleId);
  });

  it('cancels a requisition idempotently', async () => {
    const { network } = await open();
    await network.requestTests(requisition);
    for (const orderId of [requisition.orderId, requisition.orderId, 'never-asked']) {
      await expect(network.cancelTests({ ...requisition, orderId })).resolves.toBeUndefined();
    }
  });

  it('reports every expected result once, measured or missing', async () => {
    const { network, reported } = await open();
    const { sampleId } = await network.requestTests(requisition);
    for (const hasMissingResults of [false, true]) {
      const { measured, missing } = await reported(sampleId, { hasMissingResults });
      expect([...measured, ...missing].toSorted()).toEqual(['culture', 'glucose']);
      expect(missing.length).toBe(hasMissingResults ? 1 : 0);
    }
  });
});

describe('the simulated network', () => {
  const report = async (wish: Partial<SimulatedReportRequest>) =>
    (await createSimulatedLabNetwork().reports(placed('S', wish)))[0];

  it('gives every order its own sample id', async () => {
    const network = createSimulatedLabNetwork();
    // Among these, ten digits were too few.
    const orders = Array.from({ length: 12_000 }, (_, n) => `01900000-0000-7000-8000-000000${213_000 + n}`);
    const answers = await Promise.all(
      orders.map((orderId) => network.requestTests({ ...requisition, orderId, lab: 'quest' })),
    );
    expect(new Set(answers.map(({ sampleId }) => sampleId)).size).toBe(orders.length);
    expect(answers[0]?.sampleId).toMatch(/^QU\d{18}$/);
  });

  it('gives the same order the same values', async () => {
    expect(await report({})).toEqual(await report({}));
  });

  // prettier-ignore
  it.each([
    ['normal',   (value: number) => value >= 70 && value <= 99],
    ['abnormal', (value: number) => value > 99 && value <= 450],
    ['critical', (value: number) => value > 450],
  ] as const)('measures a believable %s value', async (interpretation, holds) => {
    const result = (await report({ interpretation }))?.results[0];
    expect(result).toMatchObject({ type: 'numeric', unit: 'mg/dL', referenceRange: '70-99', interpretation });
    expect(holds(result?.value ?? NaN)).toBe(true);
    expect(String(result?.value)).toBe(result?.result);
  });

  it('reports the requested result types', async () => {
    for (const type of ['range', 'comment', 'coded_value'] as const) {
      const results = (await report({ resultTypes: [type] }))?.results ?? [];
      expect(results.map((result) => [result.type, result.value])).toEqual([
        [type, -1],
        [type, -1],
      ]);
    }
  });

  it('reports a partial report first', async () => {
    expect((await report({ status: 'partial' }))?.results).toHaveLength(1);
  });
});
