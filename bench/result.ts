import type { BenchFigure } from '../tools/bench/bench-case.ts';

export const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

interface MeasuredRounds {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
  readonly goal: number;
}

/** The medians of alternating rounds, and the ratio of ours to bare. */
export function ratioOf(name: string, { ours, bare, goal }: MeasuredRounds): BenchFigure {
  const [a, b] = [Math.round(median(ours)), Math.round(median(bare))];
  return { name, ours: a, bare: b, ratio: Number((a / b).toFixed(3)), goal };
}

interface AlternatingRounds {
  readonly rounds: number;
  readonly ours: () => Promise<number>;
  readonly bare: () => Promise<number>;
  readonly advance: (done: number, total: number) => void;
}

/** Measures both sides alternately. Each goes first in every other round, because the second is often slower. */
export async function alternate({ rounds, ours, bare, advance }: AlternatingRounds) {
  const measured: { ours: number[]; bare: number[] } = { ours: [], bare: [] };
  advance(0, rounds);
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) measured.ours.push(await ours());
    measured.bare.push(await bare());
    if (round % 2 === 1) measured.ours.push(await ours());
    advance(round + 1, rounds);
  }
  return measured;
}

/** Number and length of the measured rounds. */
export interface RoundTimes {
  readonly rounds: number;
  readonly roundMs: number;
  readonly warmUpMs: number;
}
