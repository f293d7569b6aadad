import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  approveLabTest,
  importCatalog,
  ImportRefused,
  listPendingLabTests,
  seedCatalog,
  tellFault,
  type ImportFile,
} from '../lab-testing/catalog/catalog.ts';
import { openApp, type Ground } from '../service.ts';
import { harmless, table } from './terminal.ts';

/** The deployment's own laboratories and markers, and the lab tests that wait for the operator. */
export function catalogCommand(program: Command, ground: (level?: string) => Ground): void {
  const catalog = program.command('catalog').description('Laboratories, markers and lab tests');

  catalog
    .command('import')
    .description('Bring laboratories and markers from a CSV or JSON file; all of it, or nothing')
    .argument('<file>', 'a .csv or .json file; docs/catalog.md has its columns')
    .option('--dry-run', 'say what would change, and change nothing', false)
    .addOption(new Option('--format <format>', 'when the name of the file does not say it').choices(FORMATS))
    .action(async (file: string, flags: ImportFlags) => bring(ground('warn'), file, flags));

  catalog
    .command('pending')
    .description('List the lab tests of production teams that wait for approval')
    .action(async () => listPending(ground('warn')));

  catalog
    .command('approve')
    .description('Let teams order lab tests that wait for approval')
    .argument('<id...>', 'ids, as `catalog pending` shows them')
    .action(async (ids: string[]) => approve(ground('warn'), ids));
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
    const { counts, takenOver } = await importCatalog(opened.app, file);
    const rows = [line('laboratories', counts.labs), line('markers', counts.markers)];
    process.stdout.write(table(['', 'NEW', 'CHANGED', 'AS BEFORE'], rows));
    if (takenOver > 0) process.stdout.write(`${takenOver} of them ${TAKEN_OVER}\n`);
    if (dryRun) process.stdout.write('Nothing was written: this was a dry run.\n');
  } catch (error) {
    if (!(error instanceof ImportRefused)) throw error;
    const faults = error.faults.map((fault) => `  ${harmless(tellFault(fault))}`);
    throw new Error(`Nothing was imported. ${path} has ${faults.length} fault(s):\n${faults.join('\n')}`);
  } finally {
    await opened.close();
  }
}

const TAKEN_OVER =
  'were shipped with Aliquot; from now on they are yours, and updates leave them as they are.';

function formatOf(path: string): Format {
  const ending = extname(path).slice(1).toLowerCase();
  const format = FORMATS.find((one) => one === ending);
  if (!format) throw new InvalidArgumentError(`expected a .csv or .json file, or --format; got ${path}`);
  return format;
}

const line = (what: string, { added, changed, same }: { added: number; changed: number; same: number }) => [
  what,
  String(added),
  String(changed),
  String(same),
];

async function listPending(given: Ground): Promise<void> {
  const opened = await openApp(given);
  try {
    const tests = await listPendingLabTests(opened.app);
    const rows = tests.map(({ id, name, labSlug, teamId, createdAt }) => [
      id,
      harmless(name),
      labSlug,
      teamId,
      createdAt.toISOString().slice(0, 10),
    ]);
    const heads = ['ID', 'NAME', 'LAB', 'TEAM', 'CREATED'];
    process.stdout.write(rows.length === 0 ? 'No lab test waits for approval.\n' : table(heads, rows));
  } finally {
    await opened.close();
  }
}

async function approve(given: Ground, ids: readonly string[]): Promise<void> {
  const opened = await openApp(given);
  try {
    for (const id of ids) {
      const { name } = await approveLabTest(opened.app, id.toLowerCase());
      process.stdout.write(`${id} approved (${harmless(name)})\n`);
    }
  } finally {
    await opened.close();
  }
}
