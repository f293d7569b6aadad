import { createHash } from 'node:crypto';
import type {
  ExpectedResult,
  LabNetwork,
  LabReport,
  MissingResult,
  PlacedRequisition,
  ReportedResult,
  ReportWish,
} from './port.ts';

const USUAL: ReportWish = {
  interpretation: 'normal',
  resultTypes: null,
  hasMissingResults: false,
  status: 'final',
};

/**
 * A laboratory that measures nothing. Everything it says follows from the requisition: the same order gets
 * the same values on every machine. It keeps nothing and waits for nothing; time is given to it.
 */
export function simulatedLabNetwork(): LabNetwork {
  return {
    requestTests: async ({ orderId, lab }) => ({ sampleId: sampleIdOf(orderId, lab) }),
    withdrawTests: async () => {},
    reports: async (placed) => [reportOf(placed, placed.wish ?? USUAL)],
  };
}

const digest = (...parts: string[]) => createHash('sha256').update(parts.join('\n')).digest();

const sampleIdOf = (orderId: string, lab: string) =>
  `${lab.slice(0, 2).toUpperCase()}${digest(orderId, lab).readUIntBE(0, 6).toString().slice(0, 10).padStart(10, '0')}`;

/** A number from 0 to 1 that belongs to this order and result. */
const chance = (placed: PlacedRequisition, expected: ExpectedResult, of: string): number =>
  digest(placed.orderId, expected.slug, of).readUInt32BE(0) / 2 ** 32;

function reportOf(placed: PlacedRequisition, wish: ReportWish): LabReport {
  const all = placed.tests.flatMap((test) =>
    test.expected.map((expected) => ({ expected, markerId: test.markerId })),
  );
  const held = wish.status === 'partial' ? Math.ceil(all.length / 2) : all.length;
  const given = all.slice(0, held);
  // One result in five does not come, and one at least: a specimen that was not enough.
  const missing = wish.hasMissingResults ? given.filter((_, index) => index % MISSING_EVERY === 0) : [];
  const measured = given.filter((one) => !missing.includes(one));
  return {
    status: wish.status,
    reportedAt: placed.reportedAt,
    laboratory: placed.lab,
    clia: null,
    results: measured.map(({ expected, markerId }, index) =>
      resultOf(placed, { expected, markerId, index, wish }),
    ),
    missing: missing.map(missingOf),
  };
}

const MISSING_EVERY = 5;

const missingOf = ({
  expected,
  markerId,
}: {
  expected: ExpectedResult;
  markerId: number;
}): MissingResult => ({
  expected,
  markerId,
  failureType: 'quantity_not_sufficient_failure',
  note: 'Specimen quantity not sufficient',
});

interface Measured {
  expected: ExpectedResult;
  markerId: number;
  index: number;
  wish: ReportWish;
}

function resultOf(placed: PlacedRequisition, { expected, markerId, index, wish }: Measured): ReportedResult {
  const type = wish.resultTypes?.[index % wish.resultTypes.length] ?? usualType(expected);
  const base = { expected, markerId, type, notes: null };
  // The worst is wished of the whole; every third result carries it, the first among them.
  const interpretation =
    index % 3 === 0 ? wish.interpretation : wish.interpretation === 'unknown' ? 'unknown' : 'normal';
  if (type === 'numeric') return { ...base, ...numberOf(placed, expected, interpretation) };
  const range = { unit: expected.unit, referenceRange: rangeText(expected), value: -1, interpretation };
  if (type === 'range') return { ...base, ...range, result: `<${print(expected, floorOf(expected))}` };
  const text =
    interpretation === 'normal' || interpretation === 'unknown' ? expected.normalText : expected.abnormalText;
  const words = interpretation === 'normal' || interpretation === 'unknown' ? 'Not detected' : 'Detected';
  const said = type === 'comment' ? `See comment: ${text ?? words}` : (text ?? words);
  return { ...base, ...range, unit: null, referenceRange: expected.normalText, result: said };
}

const usualType = ({ kind }: ExpectedResult) =>
  kind === 'numeric' ? 'numeric' : kind === 'coded' ? 'coded_value' : 'comment';

type Said = Pick<ReportedResult, 'result' | 'value' | 'unit' | 'referenceRange' | 'interpretation'>;

function numberOf(
  placed: PlacedRequisition,
  expected: ExpectedResult,
  wished: ReportedResult['interpretation'],
): Said {
  const exact = measure(placed, expected, wished);
  const value = Number(exact.toFixed(expected.decimals));
  return {
    result: print(expected, value),
    value,
    unit: expected.unit,
    referenceRange: rangeText(expected),
    interpretation: wished,
  };
}

/** A believable value: inside the bounds, beyond them, or beyond what alarms. */
function measure(
  placed: PlacedRequisition,
  expected: ExpectedResult,
  wished: ReportedResult['interpretation'],
): number {
  const low = floorOf(expected);
  const high = expected.high ?? Math.max(low * 2, low + 10);
  const span = high - low;
  const part = chance(placed, expected, 'value');
  if (wished === 'critical') return (expected.criticalHigh ?? high + span) + span * (0.1 + part / 4);
  if (wished === 'abnormal') {
    const ceiling = expected.criticalHigh ?? high + span;
    return high + (ceiling - high) * (0.2 + part * 0.5) + 10 ** -expected.decimals;
  }
  return low + span * (0.2 + part * 0.6);
}

const floorOf = ({ low, high }: ExpectedResult) => low ?? (high === null ? 1 : 0);
const print = (expected: ExpectedResult, value: number) => value.toFixed(expected.decimals);

function rangeText(expected: ExpectedResult): string | null {
  if (expected.rangeText !== null) return expected.rangeText;
  const { low, high } = expected;
  if (low !== null && high !== null) return `${print(expected, low)}-${print(expected, high)}`;
  if (high !== null) return `< OR = ${print(expected, high)}`;
  return low === null ? null : `> OR = ${print(expected, low)}`;
}
