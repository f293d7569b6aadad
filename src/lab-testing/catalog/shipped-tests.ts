import type { RequestedTest } from '../../adapters/lab-network/port.ts';
import { expectedOf } from './expected-result.ts';
import { readCatalogSeed } from './seed/seed.ts';

/**
 * The tests of a laboratory as the catalogue's files have them, by the code that an order names; empty for a
 * laboratory that is not in them. For what runs beside the service and has no database.
 */
export function shippedTests(root: URL, lab: string): ReadonlyMap<string, RequestedTest> {
  const { markers } = readCatalogSeed(new URL('data/catalog/', root));
  const tests = markers
    .filter((marker) => marker.lab === lab)
    .map(({ id, provider_id, name, slug, expected_results }): RequestedTest => ({
      markerId: id,
      providerId: provider_id,
      name,
      slug,
      expected: expected_results.map(expectedOf),
    }));
  return new Map(tests.map((test) => [test.providerId ?? test.slug, test]));
}
