import { parseArgs } from 'node:util';

export interface MutationOptions {
  /** Names of modules; all when empty. */
  readonly modules: readonly string[];
  /** The share of mutants to run, from 0 to 1. */
  readonly sample: number;
  readonly seed: number;
  /** Only mutants in lines that differ from this commit. */
  readonly changedSince: string | undefined;
  /** Only mutants that survived an earlier run. */
  readonly survivors: boolean;
  /** Only mutants without a result: with a larger sample of the same seed, the rest of it. */
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
  --module NAME      run one module (repeatable); tools/mutation/modules.ts lists them
  --sample 0.3       run this share of the mutants, chosen by --seed
  --seed 1           seed of the sample
  --changed [REF]    run only mutants in lines that differ from a commit (default HEAD)
  --survivors        run only mutants that survived the last run
  --continue         run only mutants without a result
  --only TEXT        run only mutants whose key contains this text
  --tests TEXT       use only test files whose path contains this text (repeatable)
  --budget 30        seconds of tests for each mutant
  --list             list the mutants without running them
  --report           print the table of the last results without running mutants`;

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
