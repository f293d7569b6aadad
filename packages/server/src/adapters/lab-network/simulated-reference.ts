import type { ExpectedResult, RequestedTest } from './port.ts';
import { ANALYTE_INTERVALS } from './simulated-reference-intervals.ts';

/** The patient data that reference intervals depend on; null if unknown. */
interface IntervalPatient {
  /** Years. */
  readonly age: number | null;
  readonly sex: 'female' | 'male' | null;
}

const intervalsByLoinc = new Map(ANALYTE_INTERVALS.map((each) => [each.loinc, each]));

/** The tests with the reference intervals for a patient. Without a sex or an age, with the general intervals. */
export function fitReferenceIntervals(
  tests: readonly RequestedTest[],
  patient: IntervalPatient,
): readonly RequestedTest[] {
  const { age, sex } = patient;
  if (age === null || sex === null) return tests;
  return tests.map((test) => ({
    ...test,
    expected: test.expected.map((expected) => fitInterval(expected, { age, sex })),
  }));
}

/**
 * Replaces the catalog's general interval. Other intervals come from an imported catalog and are kept: its laboratory
 * knows them better.
 */
function fitInterval(
  expected: ExpectedResult,
  { age, sex }: { age: number; sex: 'female' | 'male' },
): ExpectedResult {
  const known = expected.loinc === null ? undefined : intervalsByLoinc.get(expected.loinc);
  if (known?.unit !== expected.unit || known.general !== expected.rangeText) return expected;
  const fitting = known[sex].findLast(([fromAge]) => fromAge <= age);
  return fitting ? withInterval(expected, fitting[1]) : expected;
}

/** One object per interval, because serialized identities are cached by object. */
const fittedResults = new WeakMap<ExpectedResult, Map<string | null, ExpectedResult>>();

function withInterval(expected: ExpectedResult, printed: string | null): ExpectedResult {
  if (printed === expected.rangeText) return expected;
  const fitted = fittedResults.get(expected) ?? new Map<string | null, ExpectedResult>();
  fittedResults.set(expected, fitted);
  const known = fitted.get(printed);
  if (known) return known;
  const result = { ...expected, rangeText: printed, ...parseBounds(printed, expected.decimals) };
  fitted.set(printed, result);
  return result;
}

/** `70-99`, `<5.7` or `>39`. An exclusive bound becomes the nearest printable value inside it. */
function parseBounds(printed: string | null, decimals: number): Pick<ExpectedResult, 'low' | 'high'> {
  if (printed === null) return { low: null, high: null };
  const step = 10 ** -decimals;
  const within = (value: number) => Number(value.toFixed(decimals));
  if (printed.startsWith('<')) return { low: null, high: within(Number(printed.slice(1)) - step) };
  if (printed.startsWith('>')) return { low: within(Number(printed.slice(1)) + step), high: null };
  const [low, high] = printed.split('-').map(Number);
  return { low: low ?? null, high: high ?? null };
}
