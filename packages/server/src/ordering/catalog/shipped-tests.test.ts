import { describe, expect, it } from 'vitest';
import { readShippedTests } from './catalog.ts';

const root = new URL('../../../', import.meta.url);

describe('the tests of a laboratory, without a database', () => {
  it('are found by the code in an order, with their expected results', () => {
    const tests = readShippedTests(root, 'labcorp');
    expect(tests.size).toBeGreaterThan(100);
    for (const [code, test] of tests) expect(code).toBe(test.providerId ?? test.slug);
    const panel = [...tests.values()].find(({ name }) => name.startsWith('Comprehensive Metabolic'));
    expect(panel?.expected.length).toBeGreaterThan(10);
  });

  it('are empty for an unknown laboratory', () => {
    expect(readShippedTests(root, 'nobody').size).toBe(0);
  });
});
