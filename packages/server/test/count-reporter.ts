import type { Reporter, TestModule } from 'vitest/node';

interface ReportedError {
  readonly message: string;
  readonly stacks?: readonly { file: string; line: number }[];
}

/** The first lines of each error, for readers who keep only the end of a long log. */
function describeErrors(errors: readonly ReportedError[]): string[] {
  return errors.flatMap(({ message, stacks = [] }) => [
    ...message.split('\n').slice(0, 6),
    ...stacks.slice(0, 3).map(({ file, line }) => `at ${file.split('/').slice(-3).join('/')}:${line}`),
  ]);
}

/** Prints all failed tests with their errors at the end of the run, and one line with the counts. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly ReportedError[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    let broken = 0;
    const failed: string[] = [];
    const tell = (name: string, errors: readonly ReportedError[]): void => {
      failed.push(`failed: ${name}`, ...describeErrors(errors).map((line) => `  ${line}`));
    };
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) {
        broken += 1;
        tell(module.relativeModuleId, module.errors());
      }
      // A hook of a `describe` that fails after its tests is an error of the suite alone: no test has it.
      for (const suite of module.children.allSuites()) {
        if (suite.errors().length === 0) continue;
        broken += 1;
        tell(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors());
      }
      for (const test of module.children.allTests()) {
        const { state, errors = [] } = test.result();
        count[state] += 1;
        if (state === 'failed') tell(`${module.relativeModuleId} > ${test.fullName}`, errors);
      }
    }
    if (unhandled.length > 0) tell('outside of any test', unhandled);
    const skipped = count.skipped + count.pending;
    if (failed.length > 0) console.log(`\n${failed.join('\n')}`);
    console.log(`\n${count.passed} passed, ${count.failed + broken} failed, ${skipped} skipped`);
  }
}
