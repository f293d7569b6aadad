import type { Work } from '../../platform/work.ts';
import { generatedLabTest } from './generated-lab-test.ts';
import type { LabTest } from './lab-test.ts';

/** The lab test with only these of its markers; the same one where they are all. They need not be for sale alone. */
export async function partOfLabTest(
  work: Work,
  test: LabTest,
  markerIds: ReadonlySet<number>,
): Promise<LabTest> {
  const markers = test.markers.filter(({ id }) => markerIds.has(id));
  if (markers.length === 0) throw new Error(`Lab test ${test.id} has none of the markers`);
  if (markers.length === test.markers.length) return test;
  return generatedLabTest(work, { lab: test.lab, method: test.method, tests: [test], markers });
}
