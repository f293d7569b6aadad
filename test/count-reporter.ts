import type { Reporter, TestModule } from 'vitest/node';

/** Ends the run with one plain line that counts the tests. */
export default class CountReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const count = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    let broken = 0;
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) broken += 1;
      for (const test of module.children.allTests()) count[test.result().state] += 1;
    }
    const skipped = count.skipped + count.pending;
    console.log(`\n${count.passed} passed, ${count.failed + broken} failed, ${skipped} skipped`);
  }
}
