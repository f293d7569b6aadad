import { describeDuration, secondsLeft, type CurrentStep, type ProgressStep } from './time-left.ts';

/**
 * Progress output of a long command. Each step is announced with its number and the time left. During a long step, or
 * if steps are not announced, a report is printed every half minute. On a terminal, a status line below the output
 * counts the seconds instead.
 *
 * ```ts
 * const progress = openProgress([{ name: 'load', expectedSeconds: 20 }, { name: 'measure', expectedSeconds: 60 }]);
 * progress.begin('load');         // [1/2] load, about 20 s; about 1 min 20 s left
 * progress.advance(300, 1000);    // the next report says 300 of 1000; call it with 0 first to know the pace sooner
 * progress.print('loaded');       // a line of the command's own
 * progress.begin('measure');      // ends the step before
 * progress.close();               // ends the last step and stops the reports
 * ```
 */
export interface Progress {
  /** Ends the current step and begins the named one. Steps between the two count as skipped. */
  begin(name: string): void;
  /** Ends the current step, if any; returns its duration in seconds. */
  end(): number;
  /** Reports how much of the current step is done. */
  advance(done: number, total: number): void;
  /** Writes a line of output. Do not write to the output directly: it would break the status line on a terminal. */
  print(line: string): void;
  /** Ends the current step, stops reporting, and returns the total duration in seconds. */
  close(): number;
}

export interface ProgressOptions {
  /** Receives whole lines, and control sequences on a terminal. Default: standard output. */
  readonly output?: ProgressOutput;
  /** Announces every step in a line of its own, also without a terminal. Default: true. */
  readonly announcesSteps?: boolean;
  /** Seconds between reports without a terminal. Default: 30. */
  readonly reportEverySeconds?: number;
  /** Milliseconds of a monotonic clock. */
  readonly now?: () => number;
}

interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

const CLEAR_LINE = '\r\u001B[2K';
const TERMINAL_REPORT_SECONDS = 1;
const REPORT_SECONDS = 30;
const COLUMNS = 80;

export function openProgress(steps: readonly ProgressStep[], options: ProgressOptions = {}): Progress {
  const { output = process.stdout, announcesSteps = true, now = () => performance.now() } = options;
  const tracker = trackSteps(steps, now);
  const isTerminal = output.isTTY === true;
  const everySeconds = isTerminal ? TERMINAL_REPORT_SECONDS : (options.reportEverySeconds ?? REPORT_SECONDS);
  const clear = isTerminal ? CLEAR_LINE : '';
  const report = () => {
    const line = tracker.report();
    if (line === undefined) return;
    output.write(isTerminal ? clear + line.slice(0, (output.columns ?? COLUMNS) - 1) : `${line}\n`);
  };
  const print = (line: string) => {
    output.write(`${clear}${line}\n`);
    if (isTerminal) report();
  };
  let timer: NodeJS.Timeout | undefined;
  const end = () => {
    if (isTerminal) output.write(clear);
    return tracker.end();
  };
  return {
    begin(name) {
      end();
      const line = tracker.begin(name);
      if (announcesSteps) print(line);
      // An announced step needs no report soon. Short steps that are not announced must not delay the reports.
      if (announcesSteps) clearInterval(timer);
      if (announcesSteps || !timer) timer = setInterval(report, everySeconds * 1000).unref();
    },
    end,
    advance: tracker.advance,
    print,
    close() {
      end();
      clearInterval(timer);
      return tracker.seconds();
    },
  };
}

interface TrackedStep {
  readonly step: ProgressStep;
  readonly number: number;
  readonly began: number;
  parts: StepParts | undefined;
}

interface StepParts {
  readonly done: number;
  readonly total: number;
  /** The first reported state: the setup before it says nothing about the pace. */
  readonly first: { readonly done: number; readonly at: number };
}

function secondsLeftByParts({ parts }: TrackedStep, now: number): number | undefined {
  if (!parts || parts.done <= parts.first.done) return undefined;
  const { done, total, first } = parts;
  return (((now - first.at) / 1000) * Math.max(total - done, 0)) / (done - first.done);
}

/** Tracks the steps and their times, and formats their report lines. */
function trackSteps(steps: readonly ProgressStep[], now: () => number) {
  const opened = now();
  const ended: { step: ProgressStep; seconds: number }[] = [];
  let next = 0;
  let current: TrackedStep | undefined;
  const sinceBegin = (): CurrentStep | undefined =>
    current && {
      step: current.step,
      seconds: (now() - current.began) / 1000,
      secondsLeft: secondsLeftByParts(current, now()),
    };
  const left = (): string => {
    const seconds = secondsLeft({ ended, current: sinceBegin(), remaining: steps.slice(next) });
    return seconds === undefined || seconds < 0.5 ? '' : `; about ${describeDuration(seconds)} left`;
  };
  return {
    begin(name: string): string {
      const at = steps.findIndex((step, index) => index >= next && step.name === name);
      const step = steps[at];
      if (!step)
        throw new Error(`No step ${name} is ahead; there are ${steps.map((one) => one.name).join(', ')}`);
      next = at + 1;
      current = { step, number: next, began: now(), parts: undefined };
      const { expectedSeconds } = step;
      const expected = expectedSeconds === undefined ? '' : `, about ${describeDuration(expectedSeconds)}`;
      return `[${next}/${steps.length}] ${name}${expected}${left()}`;
    },
    advance(done: number, total: number): void {
      if (!current) return;
      const first = current.parts?.first ?? { done, at: now() };
      current.parts = { done, total, first };
    },
    report(): string | undefined {
      if (!current) return undefined;
      const { step, number, parts, began } = current;
      const of = parts ? `, ${parts.done} of ${parts.total}` : '';
      const so = describeDuration((now() - began) / 1000);
      return `[${number}/${steps.length}] ${step.name}: ${so} so far${of}${left()}`;
    },
    end(): number {
      const measured = sinceBegin();
      current = undefined;
      if (!measured) return 0;
      ended.push({ step: measured.step, seconds: measured.seconds });
      return measured.seconds;
    },
    seconds: (): number => (now() - opened) / 1000,
  };
}
