/** A process that runs the mutants of a plan. Its parent kills it when a mutant never yields control. */
import { readFileSync } from 'node:fs';
import type { ProvidedContext } from 'vitest';
import { startVitest } from 'vitest/node';
import type { MutationPlan } from './plan.ts';

const [planPath = '', serverPath = ''] = process.argv.slice(2);
const plan: MutationPlan = JSON.parse(readFileSync(planPath, 'utf8'));
const server: ProvidedContext['server'] = JSON.parse(readFileSync(serverPath, 'utf8'));

const vitest = await startVitest(
  'test',
  [],
  {
    root: plan.root,
    config: false,
    watch: false,
    include: ['tools/mutation/drive.mutation.ts'],
    pool: 'threads',
    isolate: false,
    maxWorkers: 1,
    reporters: [['default', { summary: false }]],
    provide: { server, mutationPlan: planPath },
    // As in vitest.config.ts.
    expect: { poll: { timeout: 50_000 } },
    // Errors between two mutants belong to the last one, whose tests have already decided.
    dangerouslyIgnoreUnhandledErrors: true,
  },
  {
    plugins: [
      { name: 'mutants', enforce: 'pre', load: (id) => plan.sources[id.replace(/\?.*$/, '')] ?? null },
    ],
  },
);
await vitest.close();
process.exit(process.exitCode ?? 0);
