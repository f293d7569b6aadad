import { describe, expect, it } from 'vitest';
import { shippedTests } from './catalog.ts';

const root = new URL('../../../', import.meta.url);

describe('the tests of a laboratory, without a database', () => {
  it('are found by the code that an order names, with what they report', () => {
    const tests = shippedTests(root, 'labcorp');
    expect(tests.size).toBeGreaterThan(100);
    for (const [code, test] of tests) expect(code).toBe(test.providerId ?? test.slug);
    const panel = [...tests.values()].find(({ name }) => name.startsWith('Comprehensive Metabolic'));
    expect(panel?.expected.length).toBeGreaterThan(10);
  });

  it('are none of a laboratory that nobody knows', () => {
    expect(shippedTests(root, 'nobody').size).toBe(0);
  });
});
