import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  CatalogImportError,
  seedCatalog,
  formatCatalogImportFault,
  type CatalogImportFile,
} from '../ordering/catalog/catalog.ts';
import { importSites, seedSites } from '../scheduling/patient-service-centers/patient-service-centers.ts';
import { openApp, type BootOptions } from '../service.ts';
import { stripControlCharacters, formatTable } from './terminal.ts';

/** The laboratories' real patient service centers, which replace the generated ones. */
export function placesCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('places')
    .description('Patient service centers')
    .command('import')
    .description('Replace the sites of the laboratories in a CSV or JSON file, all or nothing')
    .argument('<file>', 'a .csv or .json file; for its columns see docs/reference/place-files.md')
    .option('--dry-run', 'show what would change without writing', false)
    .addOption(
      new Option('--format <format>', 'needed if the file name has no such extension').choices(FORMATS),
    )
    .action(async (file: string, flags: SiteImportFlags) => importSiteFile(ground('warn'), file, flags));
}

const FORMATS = ['csv', 'json'] as const;
type SiteFileFormat = (typeof FORMATS)[number];

interface SiteImportFlags {
  readonly dryRun: boolean;
  readonly format?: SiteFileFormat;
}

async function importSiteFile(
  given: BootOptions,
  path: string,
  { dryRun, format }: SiteImportFlags,
): Promise<void> {
  const file: CatalogImportFile = {
    format: format ?? formatOf(path),
    content: await readFile(path, 'utf8'),
    dryRun,
  };
  const opened = await openApp(given);
  try {
    await seedCatalog(opened.app);
    await seedSites(opened.app);
    const changes = await importSites(opened.app, file);
    const rows = changes.map(({ lab, ...counts }) => [
      stripControlCharacters(lab),
      ...[counts.added, counts.changed, counts.same, counts.removed].map(String),
    ]);
    process.stdout.write(formatTable(['LAB', 'NEW', 'CHANGED', 'UNCHANGED', 'REMOVED'], rows));
    if (dryRun) process.stdout.write('Dry run: nothing was written.\n');
  } catch (error) {
    if (!(error instanceof CatalogImportError)) throw error;
    const faults = error.faults.map(
      (fault) => `  ${stripControlCharacters(formatCatalogImportFault(fault))}`,
    );
    throw new Error(`Nothing was imported. ${path} has ${faults.length} error(s):\n${faults.join('\n')}`);
  } finally {
    await opened.close();
  }
}

function formatOf(path: string): SiteFileFormat {
  const ending = extname(path).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === ending);
  if (!format) throw new InvalidArgumentError(`expected a .csv or .json file, or --format; got ${path}`);
  return format;
}
