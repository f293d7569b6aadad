import type { Command } from 'commander';
import type { App } from '../app.ts';
import {
  approveLabTest,
  importCatalog,
  listPendingLabTests,
  type CatalogImportFile,
} from '../ordering/catalog/catalog.ts';
import { openApp, type BootOptions } from '../service.ts';
import { addImportCommand } from './import-file.ts';
import { stripControlCharacters, formatTable } from './terminal.ts';

/** The deployment's own laboratories and markers, and the lab tests that await approval by the operator. */
export function catalogCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const catalog = program.command('catalog').description('Laboratories, markers and lab tests');

  addImportCommand(catalog, ground, {
    description: 'Import laboratories and markers from a CSV or JSON file, all or nothing',
    columnsPage: 'docs/reference/catalog-files.md',
    run: importCatalogFile,
  });

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

async function importCatalogFile(app: App, file: CatalogImportFile): Promise<string> {
  const { counts, takenOver } = await importCatalog(app, file);
  const rows = [countRow('laboratories', counts.labs), countRow('markers', counts.markers)];
  const table = formatTable(['', 'NEW', 'CHANGED', 'UNCHANGED'], rows);
  return takenOver > 0 ? `${table}${takenOver} of them ${TAKEN_OVER}\n` : table;
}

const TAKEN_OVER = 'were shipped with Aliquot; from now on they are yours, and updates do not change them.';

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
