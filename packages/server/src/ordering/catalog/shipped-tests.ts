import type { RequestedTest } from '../../adapters/lab-network/port.ts';
import { toCatalogResult } from './expected-result.ts';
import { readCatalogSeed } from './seed/seed.ts';

/**
 * The tests of a laboratory in the shipped catalog files, by the code that orders use; empty for an unknown
 * laboratory. For tools that run without a database.
 */
export function readShippedTests(root: URL, lab: string): ReadonlyMap<string, RequestedTest> {
  const { markers } = readCatalogSeed(new URL('data/catalog/', root));
  const tests = markers
    .filter((marker) => marker.lab === lab)
    .map(({ id, provider_id, name, slug, expected_results }): RequestedTest => ({
      markerId: id,
      providerId: provider_id,
      name,
      slug,
      expected: expected_results.map(toCatalogResult),
    }));
  return new Map(tests.map((test) => [test.providerId ?? test.slug, test]));
}
