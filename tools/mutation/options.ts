import { parseArgs } from 'node:util';

export interface MutationOptions {
  /** Names of modules; all when empty. */
  readonly modules: readonly string[];
  /** Which part of the mutants is run, from 0 to 1. */
  readonly sample: number;
  readonly seed: number;
  /** Only mutants in lines that differ from this commit. */
  readonly changedSince: string | undefined;
  /** Only those that an earlier run left alive. */
  readonly survivors: boolean;
  /** Only those that no earlier run has tried: with a larger sample of the same seed, the rest of it. */
  readonly continued: boolean;
  /** Only mutants whose key contains this text. */
  readonly only: string | undefined;
  /** Only test files whose path contains one of these texts; all when empty. */
  readonly tests: readonly string[];
  readonly list: boolean;
  readonly report: boolean;
  readonly budgetSeconds: number;
}

export const USAGE = `npm run mutation -- [OPTIONS]
  --module NAME      one module (again for more); see tools/mutation/modules.ts
  --sample 0.3       a part of the mutants, chosen by --seed
  --seed 1
  --changed [REF]    only in lines that differ from a commit (HEAD)
  --survivors        only those that the last run left alive
  --continue         only those that no earlier run has tried
  --only TEXT        only those whose name contains a text
  --tests TEXT       only test files whose path contains a text (again for more)
  --budget 30        seconds of tests for one mutant
  --list             names them and runs none
  --report           prints the table of the last results and runs none`;

export function readOptions(args: readonly string[]): MutationOptions {
  const at = args.indexOf('--changed');
  const ref = at >= 0 ? args[at + 1] : undefined;
  const isBare = at >= 0 && (ref === undefined || ref.startsWith('--'));
  const { values } = parseArgs({
    args: isBare ? args.with(at, '--changed=HEAD') : [...args],
    options: {
      module: { type: 'string', multiple: true, default: [] },
      sample: { type: 'string', default: '1' },
      seed: { type: 'string', default: '1' },
      changed: { type: 'string' },
      survivors: { type: 'boolean', default: false },
      continue: { type: 'boolean', default: false },
      only: { type: 'string' },
      tests: { type: 'string', multiple: true, default: [] },
      budget: { type: 'string', default: '30' },
      list: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
    },
  });
  return {
    modules: values.module,
    sample: Number(values.sample),
    seed: Number(values.seed),
    changedSince: values.changed,
    survivors: values.survivors,
    continued: values.continue,
    only: values.only,
    tests: values.tests,
    list: values.list,
    report: values.report,
    budgetSeconds: Number(values.budget),
  };
}
