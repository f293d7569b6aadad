import type { ExpectedResult, PlacedRequisition, SimulatedReportRequest } from './port.ts';
import { listTargetIntervals, type TargetInterpretation } from './simulated-values.ts';
import {
  getAnalyteKey,
  listCoupledGroups,
  isIndependent,
  type OrderedAnalytes,
} from './simulated-specimen.ts';

/** One expected result of a requisition. */
export interface ExpectedMeasurement {
  readonly expected: ExpectedResult;
  readonly markerId: number;
}

/** Which expected results of a requisition are measured, and which are missing. */
interface MeasurementPlan {
  readonly measured: readonly ExpectedMeasurement[];
  readonly missing: readonly ExpectedMeasurement[];
}

const MISSING_EVERY = 5;

/** A partial report has the first half. With missing results, every fifth one is missing, starting with the first. */
export function planMeasurements(placed: PlacedRequisition, wish: SimulatedReportRequest): MeasurementPlan {
  const all = listExpectedMeasurements(placed);
  const given = all.slice(0, wish.status === 'partial' ? getHalfLength(all) : all.length);
  const isMissing = (index: number) => wish.hasMissingResults && index % MISSING_EVERY === 0;
  return {
    measured: given.filter((_, index) => !isMissing(index)),
    missing: given.filter((_, index) => isMissing(index)),
  };
}

export const listExpectedMeasurements = ({ tests }: PlacedRequisition): ExpectedMeasurement[] =>
  tests.flatMap(({ expected, markerId }) => expected.map((each) => ({ expected: each, markerId })));

const getHalfLength = (all: readonly unknown[]): number => Math.ceil(all.length / 2);

/** Each analyte once, in order of first occurrence. */
export const listUniqueAnalytes = (all: readonly ExpectedMeasurement[]): ExpectedResult[] =>
  [
    ...new Map(all.toReversed().map(({ expected }) => [getAnalyteKey(expected), expected])).values(),
  ].toReversed();

/** In abnormal reports, every third analyte that can be abnormal is. */
const ABNORMAL_EVERY = 3;

/**
 * Chooses the target interpretations: in an abnormal report every third value, starting with the first; in a critical
 * report also one critical value. A partial report and its final report agree as far as both can show the request.
 */
export function planInterpretations(
  placed: PlacedRequisition,
  wish: SimulatedReportRequest,
  order: OrderedAnalytes,
): ReadonlyMap<string, TargetInterpretation> {
  const wanted = new Map<string, TargetInterpretation>();
  if (wish.interpretation === 'normal' || wish.interpretation === 'unknown') return wanted;
  const whole = listUniqueAnalytes(planMeasurements(placed, { ...wish, status: 'final' }).measured);
  const able = whole.filter((each) => canBeAbnormal(each, order));
  for (const [index, each] of able.entries()) {
    if (index % ABNORMAL_EVERY === 0) wanted.set(getAnalyteKey(each), 'abnormal');
  }
  if (wish.interpretation === 'critical') addCriticalTarget(wanted, able, findVisible(placed, wish));
  for (const group of listCoupledGroups(order.expected)) {
    const worst = group.map((name) => wanted.get(name)).find((each) => each !== undefined);
    if (worst) for (const name of group) wanted.set(name, worst);
  }
  return wanted;
}

const findVisible = (placed: PlacedRequisition, wish: SimulatedReportRequest) => ({
  early: new Set(
    planMeasurements(placed, { ...wish, status: 'partial' }).measured.map(({ expected }) =>
      getAnalyteKey(expected),
    ),
  ),
  isPartial: wish.status === 'partial',
});

/** Makes one value critical, preferably one with critical bounds that the partial report includes. */
function addCriticalTarget(
  wanted: Map<string, TargetInterpretation>,
  able: readonly ExpectedResult[],
  { early, isPartial }: ReturnType<typeof findVisible>,
): void {
  const bounded = able.filter((each) => listTargetIntervals(each, 'critical').length > 0);
  const first = bounded.find((each) => early.has(getAnalyteKey(each)));
  const chosen = first ?? (isPartial ? able[0] : (bounded[0] ?? able[0]));
  if (!chosen) return;
  const isBounded = chosen.kind !== 'numeric' || listTargetIntervals(chosen, 'critical').length > 0;
  wanted.set(getAnalyteKey(chosen), isBounded ? 'critical' : 'far');
}

/** Text can if it has an abnormal value; a number if it has bounds and is not derived from others. */
function canBeAbnormal(each: ExpectedResult, order: OrderedAnalytes): boolean {
  if (each.kind !== 'numeric') return each.abnormalText !== null;
  return listTargetIntervals(each, 'abnormal').length > 0 && isIndependent(each, order);
}
