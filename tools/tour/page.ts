import { colorsFor } from '../../packages/server/src/cli/terminal/terminal.ts';
import type { ReceivedWebhook } from './receiver.ts';

const paint = colorsFor(process.stdout);
const MARGIN = '  ';
const INDENT = '     ';
const HEADING_WIDTH = 24;
const TYPE_WIDTH = 24;
const STATUS_WIDTH = 44;

const write = (line = '') => process.stdout.write(`${line}\n`.replace(/^\s+\n$/, '\n'));

/** The output of the tour. Fits in 100 columns. */
export interface TourPage {
  title(url: string): void;
  /** Prints the next step of the tour with its API call. */
  step(heading: string, call: string): void;
  fact(text: string): void;
  webhook(arrival: ReceivedWebhook): void;
  table(heads: readonly string[], rows: readonly TourTableRow[]): void;
  closing(text: string, good: boolean): void;
}

interface TourTableRow {
  readonly cells: readonly string[];
  /** Whether the row is highlighted. */
  readonly flagged: boolean;
}

export function openPage(): TourPage {
  let steps = 0;
  return {
    title: (url) => {
      write();
      write(`${MARGIN}${paint.bold('The life of a test kit')}  ${paint.dim(url)}`);
    },
    step: (heading, call) => {
      write();
      write(`${MARGIN}${(steps += 1)}  ${paint.bold(heading.padEnd(HEADING_WIDTH))}${paint.dim(call)}`);
    },
    fact: (text) => write(`${INDENT}${text}`),
    webhook: (arrival) => write(webhookLine(arrival)),
    table: (heads, rows) => {
      const all = [heads, ...rows.map(({ cells }) => cells)];
      const widths = heads.map((_, column) => Math.max(...all.map((cells) => cells[column]?.length ?? 0)));
      const line = (cells: readonly string[]) =>
        `${INDENT}${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
      write(paint.dim(line(heads)));
      for (const { cells, flagged } of rows) write(flagged ? paint.yellow(line(cells)) : line(cells));
    },
    closing: (text, good) => {
      write();
      for (const line of text.split('\n')) write(`${MARGIN}${good ? paint.green(line) : paint.red(line)}`);
      write();
    },
  };
}

function webhookLine({ type, status = '', verified }: ReceivedWebhook): string {
  const seal = verified ? paint.green('signature verified') : paint.red('not verified');
  return `${INDENT}${paint.dim('<-')} ${type.padEnd(TYPE_WIDTH)}${status.padEnd(STATUS_WIDTH)}${seal}`;
}
