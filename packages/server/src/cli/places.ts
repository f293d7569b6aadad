import type { Command } from 'commander';
import type { App } from '../app.ts';
import type { CatalogImportFile } from '../ordering/catalog/catalog.ts';
import { importSites, seedSites } from '../scheduling/patient-service-centers/patient-service-centers.ts';
import type { BootOptions } from '../service.ts';
import { addImportCommand } from './import-file.ts';
import { stripControlCharacters, formatTable } from './terminal.ts';

/** The laboratories' real patient service centers, which replace the generated ones. */
export function placesCommand(program: Command, ground: (level?: string) => BootOptions): void {
  addImportCommand(program.command('places').description('Patient service centers'), ground, {
    description: 'Replace the sites of the laboratories in a CSV or JSON file, all or nothing',
    columnsPage: 'docs/reference/place-files.md',
    run: importSiteFile,
  });
}

async function importSiteFile(app: App, file: CatalogImportFile): Promise<string> {
  await seedSites(app);
  const changes = await importSites(app, file);
  const rows = changes.map(({ lab, ...counts }) => [
    stripControlCharacters(lab),
    ...[counts.added, counts.changed, counts.same, counts.removed].map(String),
  ]);
  return formatTable(['LAB', 'NEW', 'CHANGED', 'UNCHANGED', 'REMOVED'], rows);
}
