import type { ExpectedResult, PlacedRequisition, ReportWish } from './port.ts';
import { stretchesOf, type Wanted } from './simulated-draw.ts';
import { nameOf, goingTogether, standsForItself, type Ordered } from './simulated-specimen.ts';

/** One result that the requisition leads to expect. */
export interface Expectation {
  readonly expected: ExpectedResult;
  readonly markerId: number;
}

/** What of a requisition is measured, and what is not. */
export interface Measuring {
  readonly measured: readonly Expectation[];
  readonly missing: readonly Expectation[];
}

const MISSING_EVERY = 5;

/** Of a partial report the first half; one result in five does not come where some are to be missing, and one at least. */
export function measuringOf(placed: PlacedRequisition, wish: ReportWish): Measuring {
  const all = expectationsOf(placed);
  const given = all.slice(0, wish.status === 'partial' ? halfOf(all) : all.length);
  const isMissing = (index: number) => wish.hasMissingResults && index % MISSING_EVERY === 0;
  return {
    measured: given.filter((_, index) => !isMissing(index)),
    missing: given.filter((_, index) => isMissing(index)),
  };
}

export const expectationsOf = ({ tests }: PlacedRequisition): Expectation[] =>
  tests.flatMap(({ expected, markerId }) => expected.map((each) => ({ expected: each, markerId })));

const halfOf = (all: readonly unknown[]): number => Math.ceil(all.length / 2);

/** Each analyte once, in the order in which they are first asked for. */
export const distinct = (all: readonly Expectation[]): ExpectedResult[] =>
  [...new Map(all.toReversed().map(({ expected }) => [nameOf(expected), expected])).values()].toReversed();

/** Every so many of those that can be unusual are, where something is to be. */
const UNUSUAL_EVERY = 3;

/**
 * What is to be unusual, so that the whole is as it is wished: of an abnormal report every third value, the first
 * among them; of a critical one besides these a value that alarms. The same for a partial report and the final one
 * after it, as long as what is wished shows in both.
 */
export function wantedOf(
  placed: PlacedRequisition,
  wish: ReportWish,
  order: Ordered,
): ReadonlyMap<string, Wanted> {
  const wanted = new Map<string, Wanted>();
  if (wish.interpretation === 'normal' || wish.interpretation === 'unknown') return wanted;
  const whole = distinct(measuringOf(placed, { ...wish, status: 'final' }).measured);
  const able = whole.filter((each) => canBeUnusual(each, order));
  for (const [index, each] of able.entries()) {
    if (index % UNUSUAL_EVERY === 0) wanted.set(nameOf(each), 'abnormal');
  }
  if (wish.interpretation === 'critical') alarm(wanted, able, seenIn(placed, wish));
  for (const group of goingTogether(order.expected)) {
    const worst = group.map((name) => wanted.get(name)).find((each) => each !== undefined);
    if (worst) for (const name of group) wanted.set(name, worst);
  }
  return wanted;
}

const seenIn = (placed: PlacedRequisition, wish: ReportWish) => ({
  early: new Set(
    measuringOf(placed, { ...wish, status: 'partial' }).measured.map(({ expected }) => nameOf(expected)),
  ),
  isPartial: wish.status === 'partial',
});

/** One value alarms: rather one that has a bound for it and comes early. */
function alarm(
  wanted: Map<string, Wanted>,
  able: readonly ExpectedResult[],
  { early, isPartial }: ReturnType<typeof seenIn>,
): void {
  const bounded = able.filter((each) => stretchesOf(each, 'critical').length > 0);
  const first = bounded.find((each) => early.has(nameOf(each)));
  const chosen = first ?? (isPartial ? able[0] : (bounded[0] ?? able[0]));
  if (!chosen) return;
  const isBounded = chosen.kind !== 'numeric' || stretchesOf(chosen, 'critical').length > 0;
  wanted.set(nameOf(chosen), isBounded ? 'critical' : 'far');
}

/** Words can where there is one for it; a number where it has bounds and is not what follows from others. */
function canBeUnusual(each: ExpectedResult, order: Ordered): boolean {
  if (each.kind !== 'numeric') return each.abnormalText !== null;
  return stretchesOf(each, 'abnormal').length > 0 && standsForItself(each, order);
}
