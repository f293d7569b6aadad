/** What a run of the suite came to. */
export interface SuiteOutcome {
  readonly ok: boolean;
  readonly passed: number;
  /** The names of what failed, each with the lines that say why. */
  readonly failures: readonly { name: string; why: readonly string[] }[];
}

const COUNT = /^(\d+) passed, (\d+) failed, \d+ skipped$/m;
const FAILED = 'failed: ';

/** Reads what test/count-reporter.ts prints at the end, and the exit code, which alone tells of a crash. */
export function readOutcome(log: string, code: number | null): SuiteOutcome {
  const failures: { name: string; why: string[] }[] = [];
  let current: { name: string; why: string[] } | undefined;
  for (const line of log.split('\n')) {
    if (line.startsWith(FAILED)) failures.push((current = { name: line.slice(FAILED.length), why: [] }));
    else if (line.startsWith('  ')) current?.why.push(line.trim());
    else current = undefined;
  }
  const passed = Number(COUNT.exec(log)?.[1] ?? 0);
  if (failures.length === 0 && code !== 0) {
    failures.push({ name: `the run itself (exit code ${code})`, why: log.trim().split('\n').slice(-5) });
  }
  return { ok: failures.length === 0, passed, failures };
}
