import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'tools/**/*.test.ts'],
    exclude: ['packages/server/test/faults/**', '**/node_modules/**'],
    // Files share worker threads, which makes startup fast. Each file has its own database.
    pool: 'threads',
    isolate: false,
    maxWorkers: 2,
    globalSetup: ['packages/server/test/database.ts'],
    setupFiles: ['packages/server/test/random-seed.ts'],
    reporters: ['default', './packages/server/test/count-reporter.ts'],
    // Only ends tests that hang: on one busy core a test takes eight times as long as on two idle ones.
    testTimeout: 60_000,
    hookTimeout: 120_000,
    // Work in other processes or threads has no separate deadline; only the test's timeout counts.
    expect: { poll: { timeout: 50_000 } },
  },
});
