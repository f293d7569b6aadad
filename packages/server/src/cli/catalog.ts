import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  approveLabTest,
  importCatalog,
  CatalogImportError,
  listPendingLabTests,
  seedCatalog,
  formatCatalogImportFault,
  type CatalogImportFile,
} from '../ordering/catalog/catalog.ts';
import { openApp, type BootOptions } from '../service.ts';
import { stripControlCharacters, formatTable } from './terminal.ts';

/** The deployment's own laboratories and markers, and the lab tests that await approval by the operator. */
export function catalogCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const catalog = program.command('catalog').description('Laboratories, markers and lab tests');

  catalog
    .command('import')
    .description('Import laboratories and markers from a CSV or JSON file, all or nothing')
    .argument('<file>', 'a .csv or .json file; for its columns see docs/reference/catalog-files.md')
    .option('--dry-run', 'show what would change without writing', false)
    .addOption(
      new Option('--format <format>', 'needed if the file name has no such extension').choices(FORMATS),
    )
    .action(async (file: string, flags: CatalogImportFlags) =>
      importCatalogFile(ground('warn'), file, flags),
    );

  catalog
    .command('pending')
    .description('List the lab tests of production teams that await approval')
    .action(async () => listPending(ground('warn')));

  catalog
    .command('approve')
    .description('Approve lab tests, so that teams can order them')
    .argument('<id...>', 'ids, as shown by `catalog pending`')
    .action(async (ids: string[]) => approve(ground('warn'), ids));
}

const FORMATS = ['csv', 'json'] as const;
type CatalogFileFormat = (typeof FORMATS)[number];

interface CatalogImportFlags {
  readonly dryRun: boolean;
  readonly format?: CatalogFileFormat;
}

async function importCatalogFile(
  given: BootOptions,
  path: string,
  { dryRun, format }: CatalogImportFlags,
): Promise<void> {
  const file: CatalogImportFile = {
    format: format ?? formatOf(path),
    content: await readFile(path, 'utf8'),
    dryRun,
  };
  const opened = await openApp(given);
  try {
    await seedCatalog(opened.app);
    const { counts, takenOver } = await importCatalog(opened.app, file);
    const rows = [countRow('laboratories', counts.labs), countRow('markers', counts.markers)];
    process.stdout.write(formatTable(['', 'NEW', 'CHANGED', 'UNCHANGED'], rows));
    if (takenOver > 0) process.stdout.write(`${takenOver} of them ${TAKEN_OVER}\n`);
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

const TAKEN_OVER = 'were shipped with Aliquot; from now on they are yours, and updates do not change them.';

function formatOf(path: string): CatalogFileFormat {
  const ending = extname(path).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === ending);
  if (!format) throw new InvalidArgumentError(`expected a .csv or .json file, or --format; got ${path}`);
  return format;
}

const countRow = (
  what: string,
  { added, changed, same }: { added: number; changed: number; same: number },
) => [what, String(added), String(changed), String(same)];

async function listPending(given: BootOptions): Promise<void> {
  const opened = await openApp(given);
  try {
    const tests = await listPendingLabTests(opened.app);
    const rows = tests.map(({ id, name, labSlug, teamId, createdAt }) => [
      id,
      stripControlCharacters(name),
      labSlug,
      teamId,
      createdAt.toISOString().slice(0, 10),
    ]);
    const heads = ['ID', 'NAME', 'LAB', 'TEAM', 'CREATED'];
    process.stdout.write(rows.length === 0 ? 'No lab test awaits approval.\n' : formatTable(heads, rows));
  } finally {
    await opened.close();
  }
}

async function approve(given: BootOptions, ids: readonly string[]): Promise<void> {
  const opened = await openApp(given);
  try {
    for (const id of ids) {
      const { name } = await approveLabTest(opened.app, id.toLowerCase());
      process.stdout.write(`${id} approved (${stripControlCharacters(name)})\n`);
    }
  } finally {
    await opened.close();
  }
}
