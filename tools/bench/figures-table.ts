import type { BenchFigure, BenchGroup } from './bench-case.ts';

const NAME_WIDTH = 30;
const CELL_WIDTH = 10;

const row = (name: string, cells: readonly string[]): string =>
  name.padEnd(NAME_WIDTH) + cells.map((cell) => cell.padStart(CELL_WIDTH)).join('');

export const groupHead = ({ heading, columns }: BenchGroup): string[] => [
  '',
  heading,
  row('case', [...columns, 'ratio', 'goal']),
];

/** A figure under the head of its group. */
export function figureRow({ name, ours, bare, ratio, goal }: BenchFigure): string {
  const decimals = (number: number | null) => number?.toFixed(3) ?? '-';
  const isMet = ratio === null || goal === null ? undefined : ratio >= goal;
  const verdict = isMet === undefined ? '' : isMet ? 'ok' : 'below';
  return row(name, [
    String(ours),
    bare === null ? '-' : String(bare),
    decimals(ratio),
    decimals(goal),
    verdict,
  ]).trimEnd();
}
