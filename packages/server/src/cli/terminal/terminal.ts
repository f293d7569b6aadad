import type { WriteStream } from 'node:tty';

/** Text styles of a terminal. Without color support they return the text unchanged. */
export interface TerminalColors {
  dim(text: string): string;
  bold(text: string): string;
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
}

const CODES = { dim: [2, 22], bold: [1, 22], green: [32, 39], red: [31, 39], yellow: [33, 39] } as const;

/** Colors for a terminal that supports them; a pipe and NO_COLOR get plain text. */
export function colorsFor(stream: Pick<WriteStream, 'isTTY' | 'hasColors'>): TerminalColors {
  const colours = stream.isTTY && stream.hasColors();
  const painter =
    ([on, off]: readonly [number, number]) =>
    (text: string) =>
      colours ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  return {
    dim: painter(CODES.dim),
    bold: painter(CODES.bold),
    green: painter(CODES.green),
    red: painter(CODES.red),
    yellow: painter(CODES.yellow),
  };
}

/** Removes control characters from external text, which could move the cursor or change the screen. */
export const stripControlCharacters = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/** Formats a table, each column as wide as its longest cell. */
export function formatTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows].map((row) => row.map(stripControlCharacters));
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ');
  return all.map((row) => `${line(row).trimEnd()}\n`).join('');
}
