import type { OperationOutput } from './operation.ts';

interface ProgressBar {
  /** Removes the bar. */
  stop(): void;
}

const WIDTH = 30;
const EVERY_MS = 200;

/** Formats one line such as `[######------]  42 %  12,300 samples`. */
export function formatProgressBar(done: number, total: number, words: string): string {
  const part = total > 0 ? Math.min(1, done / total) : 0;
  const full = Math.round(part * WIDTH);
  const percent = String(Math.floor(part * 100)).padStart(3);
  return `[${'#'.repeat(full)}${'-'.repeat(WIDTH - full)}] ${percent} %  ${words}`;
}

/** Shows a progress bar on a terminal, refreshed a few times a second; does nothing elsewhere. */
export function openProgress(
  output: Pick<OperationOutput, 'isErrorTerminal' | 'err'>,
  line: () => string,
): ProgressBar {
  if (!output.isErrorTerminal) return { stop: () => {} };
  const timer = setInterval(() => output.err(`\r\u001b[K${line()}`), EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      output.err('\r\u001b[K');
    },
  };
}
