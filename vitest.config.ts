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
    reporters: ['default', './test/count-reporter.ts'],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    // What comes from another process or thread comes when it comes: its second would be a test of the machine.
    expect: { poll: { timeout: 10_000 } },
  },
});
