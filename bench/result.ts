/** One measured case. `ratio` and `goal` are better when higher. */
export interface Result {
  readonly name: string;
  /** Requests or deliveries a second, or milliseconds where `unit` says so. */
  readonly ours: number;
  readonly bare: number;
  readonly ratio: number;
  readonly goal: number;
  readonly unit?: 'ms';
}

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

interface Rounds {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
  readonly goal: number;
}

/** The medians of alternating rounds, and what part of the bare one ours is. */
export function ratioOf(name: string, { ours, bare, goal }: Rounds): Result {
  const [a, b] = [Math.round(median(ours)), Math.round(median(bare))];
  return { name, ours: a, bare: b, ratio: Number((a / b).toFixed(3)), goal };
}
