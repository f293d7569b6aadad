import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProgress } from '../progress/progress.ts';
import {
  defineCase,
  defineStage,
  type BenchCase,
  type BenchCaseContext,
  type BenchStageDefinition,
  type TypedBenchStage,
} from './bench-case.ts';
import { chooseCases } from './choose-cases.ts';
import { writeResults } from './results-file.ts';
import { runCases, stepsOf } from './run-cases.ts';

const GROUP = { heading: 'Requests a second', columns: ['ours/s', 'bare/s'] } as const;
const SECONDS = { full: 60, quick: 2 };

let folder: string;
let file: URL;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'aliquot-bench-test-'));
  file = pathToFileURL(join(folder, 'results.json'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function stageOf(log: string[], more: Partial<BenchStageDefinition<string>> = {}) {
  return defineStage<string>({
    name: 'server',
    expectedSeconds: { full: 30, quick: 1 },
    open: async (cleanups, size) => {
      log.push(`open ${size}`);
      cleanups.push(async () => log.push('close'));
      return 'server';
    },
    ...more,
  });
}

type CaseRun = (stage: string, context: BenchCaseContext<number>) => Promise<void>;

const measured =
  (name: string, log: string[] = []): CaseRun =>
  async (stage, { parameters, goal, report }) => {
    log.push(`run ${name} on ${stage}`);
    report({ name, ours: parameters, bare: 200, ratio: parameters / 200, goal });
  };

const caseOf = (name: string, stage: TypedBenchStage<string>, run: CaseRun = measured(name)): BenchCase =>
  defineCase({
    name,
    group: GROUP,
    goal: 0.4,
    stage,
    sizes: { full: 100, quick: 50 },
    expectedSeconds: SECONDS,
    run,
  });

async function runAll(cases: readonly BenchCase[], more: { interrupt?: AbortSignal } = {}) {
  let printed = '';
  const output = { write: (text: string) => (printed += text) };
  const progress = openProgress(stepsOf(cases, 'quick'), { output });
  const saved: number[] = [];
  const outcome = await runCases({
    cases,
    size: 'quick',
    progress,
    save: async (results) => {
      saved.push(results.length);
      await writeResults(file, results);
    },
    interrupt: new AbortController().signal,
    ...more,
  });
  progress.close();
  return { ...outcome, saved, printed };
}

const readSaved = async (): Promise<unknown> => JSON.parse(await readFile(file, 'utf8'));

describe('a run', () => {
  test('opens a stage once for its cases and gives them the parameters of the size', async () => {
    const log: string[] = [];
    const stage = stageOf(log);
    const { results } = await runAll([
      caseOf('one', stage, measured('one', log)),
      caseOf('two', stage, measured('two', log)),
    ]);
    expect(log).toEqual(['open quick', 'run one on server', 'run two on server', 'close']);
    expect(results).toEqual([
      { name: 'one', size: 'quick', ours: 50, bare: 200, ratio: 0.25, goal: 0.4 },
      { name: 'two', size: 'quick', ours: 50, bare: 200, ratio: 0.25, goal: 0.4 },
    ]);
  });

  test('opens a stage again for each case that needs a fresh one', async () => {
    const log: string[] = [];
    const stage = stageOf(log, { isFreshForEachCase: { full: false, quick: true } });
    await runAll([caseOf('one', stage), caseOf('two', stage)]);
    expect(log).toEqual(['open quick', 'close', 'open quick', 'close']);
  });

  test('prints the current case, the time left, and each figure below its heading', async () => {
    const stage = stageOf([]);
    const { printed } = await runAll([caseOf('one', stage), caseOf('two', stage)]);
    const lines = printed.split('\n').map((line) => line.trimEnd());
    expect(lines).toEqual([
      '',
      'Requests a second',
      'case                              ours/s    bare/s     ratio      goal',
      '[1/2] one, about 3 s; about 5 s left',
      'one                                   50       200     0.250     0.400     below',
      expect.stringMatching(/^\[2\/2\] two, about 2 s/),
      'two                                   50       200     0.250     0.400     below',
      '',
    ]);
  });

  test('keeps the figures before a failure, continues after it, and reports the error', async () => {
    const log: string[] = [];
    const stage = stageOf(log);
    const half: CaseRun = async (_stage, { report }) => {
      report({ name: 'half', ours: 1, bare: null, ratio: null, goal: null });
      throw new Error('The second half broke');
    };
    const { failures, saved } = await runAll([caseOf('one', stage, half), caseOf('two', stage)]);
    expect(failures).toEqual(['one: The second half broke']);
    expect(saved).toEqual([2, 3]);
    expect(await readSaved()).toEqual({
      results: [
        { name: 'half', size: 'quick', ours: 1, bare: null, ratio: null, goal: null },
        { name: 'one', size: 'quick', error: 'The second half broke' },
        { name: 'two', size: 'quick', ours: 50, bare: 200, ratio: 0.25, goal: 0.4 },
      ],
    });
    // Work that the failed case left running must not disturb the next one.
    expect(log).toEqual(['open quick', 'close', 'open quick', 'close']);
  });

  test('fails the cases of a stage that does not open, and no others', async () => {
    const log: string[] = [];
    const broken = stageOf(log, {
      name: 'broken',
      open: async (cleanups) => {
        cleanups.push(async () => log.push('removed'));
        throw new Error('No disk');
      },
    });
    const cases = [caseOf('one', broken), caseOf('two', broken), caseOf('three', stageOf([]))];
    const { results, failures } = await runAll(cases);
    const error = 'The stage broken did not open: No disk';
    expect(failures).toEqual([`one: ${error}`, `two: ${error}`]);
    expect(results.map((result) => [result.name, 'ours' in result])).toEqual([
      ['one', false],
      ['two', false],
      ['three', true],
    ]);
    expect(log).toEqual(['removed']);
  });

  test('keeps the figures when a stage does not close', async () => {
    const stuck = stageOf([], {
      open: async (cleanups) => {
        cleanups.push(() => Promise.reject(new Error('The server did not stop')));
        return 'server';
      },
    });
    const { results, failures } = await runAll([caseOf('one', stuck), caseOf('two', stageOf([]))]);
    expect(results.map(({ name }) => name)).toEqual(['one', 'two']);
    expect(failures).toEqual(['server was not closed: The server did not stop']);
  });

  test('reports a skipped case, which is not a failure', async () => {
    const skips: CaseRun = async (_stage, { skip }) => skip('pdftotext is not installed');
    const { results, failures } = await runAll([caseOf('one', stageOf([]), skips)]);
    expect(results).toEqual([{ name: 'one', size: 'quick', skipped: 'pdftotext is not installed' }]);
    expect(failures).toEqual([]);
  });

  test('stops when it is interrupted, also while a stage opens, and closes the stage', async () => {
    const log: string[] = [];
    const interruption = new AbortController();
    const slow = stageOf(log, {
      open: async (cleanups) => {
        const stopped = new Promise<void>((resolve) => cleanups.push(async () => resolve()));
        interruption.abort();
        await stopped;
        cleanups.push(async () => log.push('removed'));
        return 'server';
      },
    });
    const cases = [caseOf('one', slow, measured('one', log)), caseOf('two', slow)];
    const { results, failures } = await runAll(cases, { interrupt: interruption.signal });
    expect({ results, failures, log }).toEqual({ results: [], failures: [], log: ['removed'] });
  });
});

test('writes the results file atomically and leaves no other file', async () => {
  await writeResults(file, [{ name: 'one', size: 'full', error: 'x' }]);
  await writeResults(file, [{ name: 'two', size: 'full', skipped: 'y' }]);
  expect(await readSaved()).toEqual({ results: [{ name: 'two', size: 'full', skipped: 'y' }] });
  expect(await readdir(folder)).toEqual(['results.json']);
});

describe('chooseCases', () => {
  const all = ['one', 'two', 'three'].map((name) => caseOf(name, stageOf([])));
  const chosen = (...args: string[]) => {
    const { cases, size } = chooseCases(all, args);
    return [size, ...cases.map(({ name }) => name)];
  };

  test('chooses all cases when none is named', () => {
    expect(chosen()).toEqual(['full', 'one', 'two', 'three']);
  });

  test('chooses several, in the order of the table', () => {
    expect(chosen('three', '--quick', 'one')).toEqual(['quick', 'one', 'three']);
  });

  test('names the cases when one is unknown', () => {
    expect(() => chosen('four')).toThrow('No case is named four. The cases are one, two, three.');
  });

  test('refuses an unknown option', () => {
    expect(() => chosen('--fast')).toThrow("Unknown option '--fast'");
  });
});
