import type { Work } from '../../platform/work.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { LabTest } from './lab-test.ts';
import * as store from './store.ts';

export type { AoeQuestion, Lab, LabTest, Marker } from './lab-test.ts';
export { getLabTestSnapshot, viewLabTest, type LabTestSnapshot } from './view.ts';
export { resolveOrderSet, type OrderSet } from './order-set.ts';
export { restrictLabTest } from './restrict-lab-test.ts';
export { listLabs } from './marker-store.ts';
export { seedCatalog } from './load-catalog.ts';
export { importCatalog, type CatalogImportFile } from './import/import-catalog.ts';
export { CatalogImportError, formatCatalogImportFault } from './import/fault.ts';
export { approveLabTest, listPendingLabTests } from './approve-lab-test.ts';
export { readShippedTests } from './shipped-tests.ts';
export { listLabAccountTemplates, seedLabTests } from './seed-lab-tests.ts';

/** The team's lab test with its laboratory and markers. */
export const getLabTest = async (work: Work, id: string): Promise<LabTest> =>
  requireFound(await store.findLabTest(work, id), 'Lab test');

/** The test kit that a team ships unregistered; the oldest one if there are several. 400 if there is none. */
export async function getStandardTestkit(work: Work): Promise<LabTest> {
  const kit = await store.findStandardTestkit(work);
  if (!kit) throw new DomainError('bad_request', 'The team has no active registrable test kit');
  return kit;
}
