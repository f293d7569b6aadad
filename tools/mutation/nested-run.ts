import { startTests, type File, type Task, type Test } from '@vitest/runner';
import { TestRunner } from 'vitest';

/** The part of Vitest's worker state that we use. */
interface WorkerState {
  readonly config: ConstructorParameters<typeof TestRunner>[0];
  readonly evaluatedModules: {
    readonly idToModuleMap: Map<string, ModuleNode>;
    getModulesByFile(file: string): Set<ModuleNode> | undefined;
  };
}

interface ModuleNode {
  evaluated: boolean;
  promise?: unknown;
  exports?: unknown;
  readonly meta?: object;
}

const workerState = (): WorkerState => {
  const state: unknown = Reflect.get(globalThis, '__vitest_worker__');
  // Untyped boundary to Vitest internals.
  return state as WorkerState;
};

/** Makes the next import evaluate the module again, from the code that is already loaded. */
function unload(node: ModuleNode): void {
  node.evaluated = false;
  node.promise = undefined;
  node.exports = undefined;
}

/** Makes the next import evaluate all our modules again; packages stay. */
export function unloadSources(): void {
  for (const node of workerState().evaluatedModules.idToModuleMap.values())
    if (node.meta && !('externalize' in node.meta)) unload(node);
}

interface NestedOptions {
  /** Indexes of the tests to run; all if absent. */
  readonly only?: ReadonlySet<number>;
  readonly stopAtFailure: boolean;
  readonly testTimeoutMs: number;
  readonly hookTimeoutMs: number;
  onLoaded?(): void;
  onTestBegin?(): void;
  onTestEnd?(test: Test): void;
}

const testsIn = (task: Task): Test[] => (task.type === 'test' ? [task] : task.tasks.flatMap(testsIn));

// Only `$` is called: with a name, optional attributes, and the function to run.
const withoutTraces = {
  $: (_name: string, ...rest: readonly unknown[]) => {
    const call = rest.at(-1);
    return typeof call === 'function' ? call() : undefined;
  },
} as unknown as Parameters<TestRunner['__setTraces']>[0];

/** Runs one test file within the current worker, reusing its modules, server and process. */
class NestedRunner extends TestRunner {
  readonly #options: NestedOptions;

  constructor(options: NestedOptions) {
    const config = {
      ...workerState().config,
      testTimeout: options.testTimeoutMs,
      hookTimeout: options.hookTimeoutMs,
    };
    super(config);
    this.#options = options;
    this.__setTraces(withoutTraces);
  }

  override async importFile(path: string): Promise<void> {
    for (const node of workerState().evaluatedModules.getModulesByFile(path) ?? []) unload(node);
    await import(/* @vite-ignore */ path);
    this.#options.onLoaded?.();
  }

  /** The outer run closes the snapshots of its own file. */
  override onAfterRunFiles(): void {}

  onCollected(files: File[]): void {
    const { only } = this.#options;
    for (const [at, test] of files.flatMap(testsIn).entries())
      if (only && !only.has(at) && test.mode === 'run') test.mode = 'skip';
  }

  override async onBeforeRunTask(test: Test): Promise<void> {
    await super.onBeforeRunTask(test);
    this.#options.onTestBegin?.();
  }

  override onAfterRunTask(test: Test): void {
    super.onAfterRunTask(test);
    this.#options.onTestEnd?.(test);
    if (this.#options.stopAtFailure && test.result?.state === 'fail') this.cancel('test-failure');
  }
}

export interface NestedResult {
  readonly tests: readonly Test[];
  /** The first failed test or hook, and its message. */
  readonly failed?: { readonly name: string; readonly message: string };
}

export async function runNested(file: string, options: NestedOptions): Promise<NestedResult> {
  const files = await startTests([file], new NestedRunner(options));
  const tests = files.flatMap(testsIn);
  const failed = [...tests, ...files, ...files.flatMap((each) => each.tasks)].find(
    ({ result }) => result?.state === 'fail',
  );
  if (!failed) return { tests };
  return {
    tests,
    failed: { name: failed.name, message: failed.result?.errors?.[0]?.message ?? 'failed' },
  };
}
