/** A process that runs the mutants of a plan. It is ended by its parent when a mutant never gives back control. */
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
    // Errors between two mutants are of the last one's, which has failed or not by its tests.
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
