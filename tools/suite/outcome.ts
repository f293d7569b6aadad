/** The result of a suite run. */
export interface SuiteOutcome {
  readonly ok: boolean;
  readonly passed: number;
  /** The failed tests, each with the lines of its error. */
  readonly failures: readonly { name: string; why: readonly string[] }[];
}

const COUNT = /^(\d+) passed, (\d+) failed, \d+ skipped$/m;
const FAILED = 'failed: ';

/** Parses the output of packages/server/test/count-reporter.ts, and the exit code, which is the only sign of a crash. */
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
