/** Runs in the Vitest worker that has everything loaded: first the tests without a mutant, then each mutant. */
import { appendFileSync, readFileSync } from 'node:fs';
import type { Test } from '@vitest/runner';
import { expect, inject, it } from 'vitest';
import { unloadSources, runNested, type NestedResult } from './nested-run.ts';
import type { PlanMessage, MutationPlan, TestBaseline, TestFileBaseline } from './plan.ts';
import { selectTests, type TestSelection } from './select-tests.ts';
import { installSwitch } from './switch.ts';

const plan: MutationPlan = JSON.parse(readFileSync(inject('mutationPlan'), 'utf8'));
const mutants = installSwitch(plan.sourceOf.length);
const writeMessage = (message: PlanMessage): void =>
  appendFileSync(plan.output, `${JSON.stringify(message)}\n`);

/** After this many mutants the same tests run without one. */
const CONTROL_EVERY = 20;
const SLOWEST_MS = 20_000;

async function drive(): Promise<void> {
  const baseline = [...plan.baseline];
  for (const file of plan.tests) {
    if (baseline.some((known) => known.file === file)) continue;
    const measured = await measure(file);
    baseline.push(measured);
    writeMessage({ is: 'baseline', baseline: measured });
  }
  const loading = new Set([...plan.precompiled, ...baseline.flatMap((file) => file.loading)]);
  // Mutants that need no reloading run first.
  const order = plan.wanted.toSorted((a, b) => Number(loading.has(a)) - Number(loading.has(b)));
  for (const [at, id] of order.entries()) {
    writeMessage({ is: 'begun', id });
    const selections = selectTests(id, { ...plan, baseline, loadsAgain: loading.has(id) });
    const beganAt = performance.now();
    const failed = await firstFailure(selections, {
      loadsAgain: loading.has(id),
      turnOn: () => mutants.turnOn(id),
    });
    mutants.turnOn(-1);
    if (loading.has(id)) unloadSources();
    const ms = Math.round(performance.now() - beganAt);
    writeMessage({ is: 'ended', id, ms, ...describe(selections, failed) });
    if (at % CONTROL_EVERY === CONTROL_EVERY - 1) await control(selections, loading.has(id));
  }
  writeMessage({ is: 'finished' });
}

const describe = (selections: readonly TestSelection[], failed: NestedResult['failed']) => {
  if (selections.length === 0) return { outcome: 'uncovered' } as const;
  if (!failed) return { outcome: 'survived' } as const;
  const timedOut = /timed out in|did not settle within/.test(failed.message);
  return {
    outcome: timedOut ? 'timeout' : 'killed',
    by: `${failed.name}: ${failed.message.slice(0, 200)}`,
  } as const;
};

async function firstFailure(
  selections: readonly TestSelection[],
  { loadsAgain, turnOn }: { loadsAgain: boolean; turnOn: () => void },
): Promise<NestedResult['failed']> {
  turnOn();
  if (loadsAgain) unloadSources();
  for (const { file, tests, slowestMs } of selections) {
    const { failed } = await runNested(file, {
      only: new Set(tests),
      stopAtFailure: true,
      testTimeoutMs: Math.min(SLOWEST_MS, 5000 + 4 * slowestMs),
      hookTimeoutMs: SLOWEST_MS,
      onTestBegin: turnOn,
    });
    if (failed) return { ...failed, name: `${file.slice(plan.root.length + 1)} > ${failed.name}` };
  }
  return undefined;
}

async function control(selections: readonly TestSelection[], loadsAgain: boolean): Promise<void> {
  const failed = await firstFailure(selections, { loadsAgain, turnOn: () => mutants.turnOn(-1) });
  writeMessage({ is: 'control', ...(failed ? { failed: `${failed.name}: ${failed.message}` } : {}) });
}

function messageOf({ result }: Test): { message?: string } {
  const message = result?.errors?.[0]?.stack;
  return message === undefined ? {} : { message: message.slice(0, 800) };
}

/** Runs a test file without a mutant: which tests reach which mutants, and how long they take. */
async function measure(file: string): Promise<TestFileBaseline> {
  const tests = new Map<string, number[]>();
  let loading: number[] = [];
  const outside = new Set<number>();
  const noteOutside = () => {
    for (const id of mutants.takeReached()) outside.add(id);
  };
  const beganAt = performance.now();
  mutants.takeReached();
  const run = await runNested(file, {
    stopAtFailure: false,
    testTimeoutMs: SLOWEST_MS,
    hookTimeoutMs: 3 * SLOWEST_MS,
    onLoaded: () => (loading = mutants.takeReached()),
    onTestBegin: noteOutside,
    onTestEnd: (test) => tests.set(test.id, mutants.takeReached()),
  });
  noteOutside();
  const measured = run.tests.map((test): TestBaseline => ({
    name: test.name,
    passed: test.result?.state === 'pass',
    ...messageOf(test),
    ms: Math.round(test.result?.duration ?? 0),
    reached: tests.get(test.id) ?? [],
  }));
  if (run.tests.length === 0) throw new Error(`${file}: ${run.failed?.message ?? 'no tests'}`);
  const all = Math.round(performance.now() - beganAt);
  const aroundMs = Math.max(0, all - measured.reduce((sum, { ms }) => sum + ms, 0));
  return { file, aroundMs, loading, outside: [...outside], tests: measured };
}

// Runs while the file loads, because tests cannot be declared within a test.
await drive();
it('leaves no mutant on', () => expect(plan.wanted.filter(mutants.isOn)).toEqual([]));
