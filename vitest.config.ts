import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'tools/**/*.test.ts'],
    exclude: ['test/faults/**', 'node_modules/**'],
    // One process for many files: five hundred tests in seconds. Each file has a database of its own.
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    globalSetup: ['test/database.ts'],
    setupFiles: ['test/random-seed.ts'],
    reporters: ['default', './test/count-reporter.ts'],
    // Ends a test that hangs, and measures nothing: on one busy core a test takes eight times as long as on two idle ones.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // What another process or thread does has no deadline of its own; the test's limit is the one that counts.
    expect: { poll: { timeout: 50_000 } },
  },
});
