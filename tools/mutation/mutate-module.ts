import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { changedLines } from './changed-lines.ts';
import { reasonFor } from './equivalent.ts';
import type { MutatedModule } from './modules.ts';
import type { Mutant } from './mutant.ts';
import { mutantsOf, withMutants } from './mutants.ts';
import type { MutationOptions } from './options.ts';
import type { PlanMessage } from './plan.ts';
import { MutationProgress } from './progress.ts';
import { readResults, writeResults, type ModuleResults } from './results.ts';
import { runPlan } from './run-plan.ts';
import { sampleOf } from './sample.ts';

interface MutationSite {
  readonly root: string;
  /** A temporary folder of this run. */
  readonly folder: string;
  /** The file with the connection of the database server. */
  readonly server: string;
}

interface MutatedSources {
  readonly mutants: readonly Mutant[];
  /** By absolute path. */
  readonly sources: Readonly<Record<string, string>>;
}

async function mutate(root: string, { sources }: MutatedModule): Promise<MutatedSources> {
  const mutants: Mutant[] = [];
  const mutated: Record<string, string> = {};
  for (const file of sources) {
    const source = await readFile(join(root, file), 'utf8');
    const own = mutantsOf(file, source, mutants.length);
    mutated[join(root, file)] = withMutants(source, own);
    mutants.push(...own);
  }
  return { mutants, sources: mutated };
}

async function testFilesOf(root: string, path: string): Promise<string[]> {
  const full = join(root, path);
  if (!(await stat(full)).isDirectory()) return [full];
  const entries = await readdir(full, { recursive: true });
  return entries.filter((name) => name.endsWith('.test.ts')).map((name) => join(full, name));
}

async function testsOf(root: string, module: MutatedModule, { tests }: MutationOptions): Promise<string[]> {
  const all = await Promise.all(module.tests.map((path) => testFilesOf(root, path)));
  return all.flat().filter((path) => tests.length === 0 || tests.some((text) => path.includes(text)));
}

/** The mutants that the options select. */
async function choose(
  root: string,
  all: readonly Mutant[],
  { before, options }: MutantChoice,
): Promise<Mutant[]> {
  const { only, changedSince, survivors, continued, sample, seed } = options;
  const changed = changedSince === undefined ? undefined : await changedLines(root, changedSince);
  const results = before?.results ?? [];
  const tried = new Set(continued ? results.map(({ key }) => key) : []);
  const alive = new Set(
    results.filter(({ outcome }) => outcome === 'survived' || outcome === 'uncovered').map(({ key }) => key),
  );
  return sampleOf(all, { share: sample, seed }).filter(
    ({ key, file, line }) =>
      (only === undefined || key.includes(only)) &&
      (changed === undefined || changed.get(file)?.has(line)) &&
      (!survivors || alive.has(key)) &&
      !tried.has(key),
  );
}

interface MutantChoice {
  readonly before: ModuleResults | undefined;
  readonly options: MutationOptions;
}

/** Prints the mutants of a module without running them. */
export async function listMutants(
  root: string,
  module: MutatedModule,
  options: MutationOptions,
): Promise<void> {
  const { mutants } = await mutate(root, module);
  const before = await readResults(root, module.name);
  for (const { key, line } of await choose(root, mutants, { before, options }))
    console.log(`${line}: ${key}`);
}

/** Runs the mutants of a module and saves each result as it comes. */
export async function mutateModule(
  module: MutatedModule,
  options: MutationOptions,
  { root, folder, server }: MutationSite,
): Promise<void> {
  const { mutants, sources } = await mutate(root, module);
  const before = await readResults(root, module.name);
  const wanted = await choose(root, mutants, { before, options });
  const progress = new MutationProgress(wanted.length);
  const { survivors, continued, only, changedSince } = options;
  const isPart = survivors || continued || only !== undefined || changedSince !== undefined;
  const known = new Map((isPart ? (before?.results ?? []) : []).map((result) => [result.key, result]));
  let saved = Promise.resolve();
  const save = (): Promise<void> =>
    (saved = saved.then(() => {
      const all = new Map([...known, ...progress.results]);
      const results = mutants.flatMap(({ key, line }) => {
        const result = all.get(key);
        return result ? [{ ...result, line }] : [];
      });
      return writeResults(root, { name: module.name, mutants: mutants.length, results });
    }));
  for (const { key, file, line } of wanted.filter((mutant) => reasonFor(mutant.key) !== undefined))
    progress.add({ key, file, line, outcome: 'equivalent' });
  const onMessage = (message: PlanMessage): void => {
    progress.noteWithoutMutant(message);
    const mutant = message.is === 'ended' ? mutants[message.id] : undefined;
    if (message.is !== 'ended' || !mutant) return;
    const { by, ms } = message;
    const { key, file, line } = mutant;
    // With only some of the tests, "uncovered" is no new information.
    const outcome =
      message.outcome === 'uncovered' ? (known.get(key)?.outcome ?? 'uncovered') : message.outcome;
    progress.add({ key, file, line, outcome, ms, ...(by ? { by } : {}) });
    void save();
  };
  const run = wanted.filter(({ key }) => reasonFor(key) === undefined).map(({ id }) => id);
  const tests = await testsOf(root, module, options);
  const sourceOf = mutants.map(({ file }) => module.sources.indexOf(file));
  const precompiled = mutants.flatMap((mutant) => (mutant.precompiled ? [mutant.id] : []));
  const budgetMs = options.budgetSeconds * 1000;
  await runPlan({
    plan: { root, sources, wanted: run, sourceOf, precompiled, tests, budgetMs },
    folder,
    server,
    onMessage,
  });
  await save();
  progress.printControls();
}
