import type { App } from '../../../app.ts';
import { writeAuditEntry, type AuditActor } from '../../../identity/management/management.ts';
import { asSystem } from '../../../platform/db/transact.ts';
import { DomainError } from '../../../platform/errors.ts';
import { CatalogImportError, type CatalogImportFault } from './fault.ts';
import { importCatalogIn, type CatalogImportFile } from './import-catalog.ts';
import { countOrganizations } from './import-store.ts';
import type { CatalogImportPlan } from './plan.ts';

interface ImportingOrganization {
  readonly orgId: string;
  readonly by: AuditActor;
}

/**
 * Imports a file for the only organization of the deployment, with its audit entry in the same transaction. A file with
 * faults is refused as a whole. 409 where several organizations share the catalog: none may change what all see.
 */
export async function importForOrganization(
  app: App,
  { orgId, by }: ImportingOrganization,
  file: CatalogImportFile,
): Promise<{ plan?: CatalogImportPlan; faults: readonly CatalogImportFault[] }> {
  try {
    const plan = await asSystem(app.db, async (tx) => {
      if ((await countOrganizations(tx)) > 1) throw sharedCatalog();
      const planned = await importCatalogIn(tx, file);
      if (!file.dryRun && planned.changes.length > 0) {
        const after = { ...planned.counts, taken_over: planned.takenOver };
        const entry = { action: 'catalog.import', subject: orgId, after, at: app.clock.now() };
        await writeAuditEntry(tx, { ...by, orgId, ...entry });
      }
      return planned;
    });
    return { plan, faults: [] };
  } catch (error) {
    if (error instanceof CatalogImportError) return { faults: error.faults };
    throw error;
  }
}

const sharedCatalog = () =>
  new DomainError(
    'conflict',
    'Several organizations share the catalog of this deployment: its operator imports it (aliquot catalog import)',
  );
