/** The value axis of a chart. */
export interface ValueScale {
  /** The distance of a value from the top of the plot, in points. */
  yOf(value: number): number;
  /** Round values for the lines of the grid. */
  readonly ticks: readonly { readonly y: number; readonly label: string }[];
}

/** The share of the range of values that stays free above and below them. */
const FREE = 0.28;
/** At least this many steps fit the axis, so that two to five lines are drawn. */
const STEPS = 4;

/** A linear axis with all values, and some space around them. Below zero only if a value is. */
export function createValueScale(values: readonly number[], height: number): ValueScale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const free = (most - least || Math.abs(most) || 1) * FREE;
  const from = least >= 0 ? Math.max(0, least - free) : least - free;
  const to = most + free;
  const yOf = (value: number) => height * (1 - (value - from) / (to - from));
  const step = roundStep((to - from) / STEPS);
  const first = Math.ceil(from / step - 1e-9);
  const count = Math.floor(to / step + 1e-9) - first + 1;
  const ticks = Array.from({ length: count }, (_, index) => (first + index) * step);
  return {
    yOf,
    ticks: ticks.map((value) => ({ y: yOf(value), label: String(Number(value.toPrecision(6))) })),
  };
}

/** The next of 1, 2, 2.5, 5 and 10 times a power of ten. */
function roundStep(atLeast: number): number {
  const power = 10 ** Math.floor(Math.log10(atLeast));
  return (
    [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((step) => step >= atLeast - 1e-12) ?? power * 10
  );
}

/** A linear time axis between two positions. A single time is in the middle. */
export function createTimeScale(
  times: readonly Date[],
  { from, to }: { from: number; to: number },
): (at: Date) => number {
  const all = times.map((at) => at.getTime());
  const [first, last] = [Math.min(...all), Math.max(...all)];
  if (first === last) return () => (from + to) / 2;
  return (at) => from + ((to - from) * (at.getTime() - first)) / (last - first);
}
