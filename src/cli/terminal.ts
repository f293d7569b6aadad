import type { WriteStream } from 'node:tty';

/** What a terminal may do with a word. Without colours every one of them answers the word as it is. */
export interface Paint {
  dim(text: string): string;
  bold(text: string): string;
  green(text: string): string;
  red(text: string): string;
  yellow(text: string): string;
}

const CODES = { dim: [2, 22], bold: [1, 22], green: [32, 39], red: [31, 39], yellow: [33, 39] } as const;

/** Colours for a terminal that has them; a pipe and NO_COLOR get plain text. */
export function paintFor(stream: Pick<WriteStream, 'isTTY' | 'hasColors'>): Paint {
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

/** Text from elsewhere, without the control characters that could move the cursor or repaint the screen. */
export const harmless = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/** Rows under their heads, each column as wide as its longest cell. */
export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heads, ...rows].map((row) => row.map(harmless));
  const widths = heads.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   ');
  return all.map((row) => `${line(row).trimEnd()}\n`).join('');
}
