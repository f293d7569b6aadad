import { z } from 'zod';
import type { App } from '../../app.ts';
import {
  CatalogImportError,
  formatCatalogImportFault,
  importCatalog,
  seedCatalog,
  type CatalogImportFile,
} from '../../ordering/catalog/catalog.ts';
import { importSites, seedSites } from '../../scheduling/patient-service-centers/patient-service-centers.ts';
import { formatTable, stripControlCharacters } from '../terminal/terminal.ts';
import { defineOperation } from './operation.ts';

/** `path` is how the file was given, for messages. */
const ImportFile = z.object({
  path: z.string(),
  format: z.enum(['csv', 'json']),
  content: z.string(),
  dryRun: z.boolean(),
});

/** Imports the file, all or nothing, and prints what changed or what is wrong in the file. */
const defineImport = (run: (app: App, file: CatalogImportFile) => Promise<string>) =>
  defineOperation(ImportFile, async ({ app, output, isInService }, { path, ...file }) => {
    try {
      // A service has done it at its start.
      if (!isInService) await seedCatalog(app);
      output.out(await run(app, file));
      if (file.dryRun) output.out('Dry run: nothing was written.\n');
    } catch (error) {
      throw error instanceof CatalogImportError ? toFaultList(path, error) : error;
    }
  });

function toFaultList(path: string, { faults }: CatalogImportError): Error {
  const lines = faults.map((fault) => `  ${stripControlCharacters(formatCatalogImportFault(fault))}`);
  return new Error(`Nothing was imported. ${path} has ${lines.length} error(s):\n${lines.join('\n')}`);
}

export const importCatalogFile = defineImport(async (app, file) => {
  const { counts, takenOver } = await importCatalog(app, file);
  const rows = [countRow('laboratories', counts.labs), countRow('markers', counts.markers)];
  const table = formatTable(['', 'NEW', 'CHANGED', 'UNCHANGED'], rows);
  return takenOver > 0 ? `${table}${takenOver} of them ${TAKEN_OVER}\n` : table;
});

const TAKEN_OVER = 'were shipped with Aliquot; from now on they are yours, and updates do not change them.';

const countRow = (
  what: string,
  { added, changed, same }: { added: number; changed: number; same: number },
) => [what, String(added), String(changed), String(same)];

export const importSiteFile = defineImport(async (app, file) => {
  await seedSites(app);
  const changes = await importSites(app, file);
  const rows = changes.map(({ lab, ...counts }) => [
    stripControlCharacters(lab),
    ...[counts.added, counts.changed, counts.same, counts.removed].map(String),
  ]);
  return formatTable(['LAB', 'NEW', 'CHANGED', 'UNCHANGED', 'REMOVED'], rows);
});
