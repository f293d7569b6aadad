import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { SoakCondition } from './conditions.ts';
import { startCompetitors } from './conditions.ts';
import { readOutcome, type SuiteOutcome } from './outcome.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const vitest = fileURLToPath(new URL('vitest.mjs', import.meta.resolve('vitest/package.json')));

export interface SuiteRun extends SuiteOutcome {
  readonly seconds: number;
  readonly log: string;
}

/** Options that shuffle files and tests. The same seed gives the same order. */
const shuffledBy = (seed: number): string[] => [
  '--sequence.shuffle.files',
  '--sequence.shuffle.tests',
  `--sequence.seed=${seed}`,
];

/** Runs the suite once under a condition, in the order of the seed. */
export async function runSuite(
  { prefix, competitors }: SoakCondition,
  { seed, filters }: { seed: number; filters: readonly string[] },
): Promise<SuiteRun> {
  const reporter = fileURLToPath(new URL('packages/server/test/count-reporter.ts', `file://${root}`));
  const [command = process.execPath, ...rest] = [
    ...prefix,
    process.execPath,
    vitest,
    'run',
    `--reporter=${reporter}`,
    ...shuffledBy(seed),
    ...filters,
  ];
  const started = performance.now();
  const busy = startCompetitors(competitors);
  try {
    const child = spawn(command, rest, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let log = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (log += text));
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    return { ...readOutcome(log, code), seconds: (performance.now() - started) / 1000, log };
  } finally {
    busy.stop();
  }
}
