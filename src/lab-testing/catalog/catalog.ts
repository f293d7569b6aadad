import type { Work } from '../../platform/work.ts';
import { DomainError, found } from '../../platform/errors.ts';
import type { LabTest } from './lab-test.ts';
import * as store from './store.ts';

export type { AoeQuestion, CatalogResult, Lab, LabTest, Marker } from './lab-test.ts';
export { snapshotOf, viewLabTest, type LabTestSnapshot } from './view.ts';
export { resolveOrderSet, type OrderSet } from './order-set.ts';
export { partOfLabTest } from './part-of-lab-test.ts';
export { listLabs } from './marker-store.ts';
export { seedCatalog } from './load-catalog.ts';
export { importCatalog, type ImportFile } from './import/import-catalog.ts';
export { ImportRefused, tellFault } from './import/fault.ts';
export { approveLabTest, listPendingLabTests } from './approve-lab-test.ts';
export { shippedTests } from './shipped-tests.ts';
export { listLabAccountTemplates, seedLabTests } from './seed-lab-tests.ts';

/** The team's lab test with its laboratory and markers, in one query. */
export const findLabTest = (work: Work, id: string): Promise<LabTest | undefined> =>
  store.findLabTest(work, id);

export const getLabTest = async (work: Work, id: string): Promise<LabTest> =>
  found(await store.findLabTest(work, id), 'Lab test');

/** The kit that a team hands out blank, to be registered later; the oldest if there are several. */
export async function standardTestkit(work: Work): Promise<LabTest> {
  const kit = await store.findStandardTestkit(work);
  if (!kit) throw new DomainError('bad_request', 'The team has no active registrable test kit');
  return kit;
}
