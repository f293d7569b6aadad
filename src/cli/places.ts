import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { ImportRefused, seedCatalog, tellFault, type ImportFile } from '../lab-testing/catalog/catalog.ts';
import { importSites, seedSites } from '../lab-testing/patient-service-centers/patient-service-centers.ts';
import { openApp, type Ground } from '../service.ts';
import { harmless, table } from './terminal.ts';

/** The laboratories' real patient service centers, in place of those that were made. */
export function placesCommand(program: Command, ground: (level?: string) => Ground): void {
  program
    .command('places')
    .description('Patient service centers')
    .command('import')
    .description(
      'Replace the lists of sites of the laboratories that a CSV or JSON file names; all, or nothing',
    )
    .argument('<file>', 'a .csv or .json file; docs/places.md has its columns')
    .option('--dry-run', 'say what would change, and change nothing', false)
    .addOption(new Option('--format <format>', 'when the name of the file does not say it').choices(FORMATS))
    .action(async (file: string, flags: ImportFlags) => bring(ground('warn'), file, flags));
}

const FORMATS = ['csv', 'json'] as const;
type Format = (typeof FORMATS)[number];

interface ImportFlags {
  readonly dryRun: boolean;
  readonly format?: Format;
}

async function bring(given: Ground, path: string, { dryRun, format }: ImportFlags): Promise<void> {
  const file: ImportFile = {
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
      harmless(lab),
      ...[counts.added, counts.changed, counts.same, counts.removed].map(String),
    ]);
    process.stdout.write(table(['LAB', 'NEW', 'CHANGED', 'AS BEFORE', 'REMOVED'], rows));
    if (dryRun) process.stdout.write('Nothing was written: this was a dry run.\n');
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    const faults = error.faults.map((fault) => `  ${harmless(tellFault(fault))}`);
    throw new Error(`Nothing was imported. ${path} has ${faults.length} fault(s):\n${faults.join('\n')}`);
  } finally {
    await opened.close();
  }
}

function formatOf(path: string): Format {
  const ending = extname(path).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === ending);
  if (!format) throw new InvalidArgumentError(`expected a .csv or .json file, or --format; got ${path}`);
  return format;
}
