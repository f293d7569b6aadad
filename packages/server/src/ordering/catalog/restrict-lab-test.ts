import type { Work } from '../../platform/work.ts';
import { getOrCreateGeneratedLabTest } from './generated-lab-test.ts';
import type { LabTest } from './lab-test.ts';

/** A lab test with only these markers of `test`; `test` itself for all. They need not be orderable a la carte. */
export async function restrictLabTest(
  work: Work,
  test: LabTest,
  markerIds: ReadonlySet<number>,
): Promise<LabTest> {
  const markers = test.markers.filter(({ id }) => markerIds.has(id));
  if (markers.length === 0) throw new Error(`Lab test ${test.id} has none of the markers`);
  if (markers.length === test.markers.length) return test;
  return getOrCreateGeneratedLabTest(work, { lab: test.lab, method: test.method, tests: [test], markers });
}
