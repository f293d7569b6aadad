/**
 * `npm run test:soak [-- OPTIONS] [FILE ...]`: runs the suite many times in shuffled order under three conditions and
 * reports every test that failed at least once, with its condition and seed. Exits with 1 if any did.
 *
 *   --idle N, --busy N, --one-core N    number of runs per condition (default 10, 5 and 3)
 *   --seed N                            seed of the first run; each next run increments it
 *
 * DATABASE_URL names a server, as for `npm test`. To repeat one order, run
 * `npx vitest run --sequence.shuffle.files --sequence.shuffle.tests --sequence.seed=N`.
 * Results are written to test-results/soak.json as they come, with the full log of each failed run next to it.
 */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { openProgress } from '../progress/progress.ts';
import { CONDITIONS } from './conditions.ts';
import { runSuite, type SuiteRun } from './run-suite.ts';

interface SoakResult {
  readonly condition: string;
  readonly seed: number;
  readonly seconds: number;
  readonly passed: number;
  readonly failures: SuiteRun['failures'];
}

const folder = fileURLToPath(new URL('../../test-results/', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    idle: { type: 'string' },
    busy: { type: 'string' },
    'one-core': { type: 'string' },
    seed: { type: 'string' },
  },
});

function countOf(option: string, text: string | undefined, otherwise: number): number {
  const count = text === undefined ? otherwise : Number(text);
  if (!Number.isInteger(count) || count < 0)
    throw new Error(`--${option} must be an integer of at least 0, got ${text}`);
  return count;
}

/** Replaces the file atomically, so that a reader never sees half of it. */
async function writeResults(results: readonly SoakResult[]): Promise<void> {
  await writeFile(`${folder}soak.json.tmp`, `${JSON.stringify({ results }, null, 2)}\n`);
  await rename(`${folder}soak.json.tmp`, `${folder}soak.json`);
}

const firstSeed = countOf('seed', values.seed, Date.now() % 1_000_000);
const planned = CONDITIONS.flatMap((condition) =>
  Array.from({ length: countOf(condition.name, values[condition.name], condition.runs) }, (_, at) => ({
    condition,
    name: `${condition.name} ${at + 1}`,
    expectedSeconds: condition.expectedSeconds,
  })),
);
await mkdir(folder, { recursive: true });
const progress = openProgress(planned);
const results: SoakResult[] = [];
for (const [index, { condition, name }] of planned.entries()) {
  const seed = firstSeed + index;
  progress.begin(name);
  const { ok, passed, failures, seconds, log } = await runSuite(condition, { seed, filters: positionals });
  results.push({ condition: condition.name, seed, seconds: Math.round(seconds), passed, failures });
  await writeResults(results);
  const summary = `${name}: seed ${seed}, ${Math.round(seconds)} s, ${passed} passed, ${failures.length} failed`;
  progress.print(summary);
  if (ok) continue;
  const kept = `soak-${name.replace(' ', '-')}-seed-${seed}.log`;
  await writeFile(`${folder}${kept}`, log);
  for (const failure of failures)
    progress.print([`  failed: ${failure.name}`, ...failure.why.map((line) => `    ${line}`)].join('\n'));
  progress.print(`  full log: test-results/${kept}`);
}
progress.close();

for (const { name, description } of CONDITIONS) {
  const runs = results.filter(({ condition }) => condition === name);
  if (runs.length === 0) continue;
  const seconds = runs.map((run) => run.seconds).toSorted((a, b) => a - b);
  const clean = runs.filter(({ failures }) => failures.length === 0).length;
  console.log(
    `${name} (${description}): ${clean} of ${runs.length} runs without a failure, ${seconds[0]} to ${seconds.at(-1)} s`,
  );
}
const failed = results.filter(({ failures }) => failures.length > 0);
for (const { condition, seed, failures } of failed)
  for (const { name } of failures) console.log(`failed: ${name} (${condition}, seed ${seed})`);
process.exitCode = failed.length > 0 ? 1 : 0;
