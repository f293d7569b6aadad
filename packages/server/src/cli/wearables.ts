import { open, type FileHandle } from 'node:fs/promises';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import {
  FileReport,
  importFile,
  detectFileKind,
  loadTenantOfUser,
  type FileImport,
} from '../wearables/wearables.ts';
import { openApp, type BootOptions } from '../service.ts';
import { stripControlCharacters, formatTable } from './terminal.ts';
import { formatProgressBar, openProgress } from './wearables-progress.ts';

/** Imports data of users' wearable devices. */
export function wearablesCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('wearables')
    .description('Manage data of users’ wearable devices')
    .command('import')
    .description('Import a FIT, TCX or GPX file, or an Apple Health export, as historical data of a user')
    .argument(
      '<file>',
      'the format is detected by content; .gz is decompressed; see docs/reference/wearable-files.md',
    )
    .requiredOption('--user <id>', 'the id of the user')
    .addHelpText('after', HELP)
    .action(async (file: string, { user }: { user: string }) =>
      importWearableFile(ground('warn'), file, user),
    );
}

const HELP = `
Importing the same file again changes nothing. Imports emit no daily events. Exits with 1 if the file could not be read
to its end. Only one process can use the embedded database: stop the service first.
`;

const FAULTS_SHOWN = 20;

async function importWearableFile(given: BootOptions, path: string, user: string): Promise<void> {
  const file = await open(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be opened: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  const opened = await openApp(given).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  try {
    printReport(await runImport(opened.app, file, user));
  } finally {
    await file.close();
    await opened.close();
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function runImport(app: App, file: FileHandle, user: string): Promise<FileImport> {
  const kind = await detectFileKind(file);
  const tenant = UUID.test(user) ? await loadTenantOfUser(app, user) : undefined;
  if (!tenant) throw new Error(`There is no user ${stripControlCharacters(user)}.`);
  const report = new FileReport();
  let readings = 0;
  const check = () => (readings += 1);
  const bar = openProgress(process.stderr, () =>
    formatProgressBar(report.done, report.total, `${kind}, ${readings} readings`),
  );
  try {
    return await importFile(app, { tenant, userId: user.toLowerCase() }, { file, kind, report, check });
  } finally {
    bar.stop();
  }
}

function printReport({ counts, skipped, faults, faultCount, broken }: FileImport): void {
  const rows = Object.entries(counts)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, { created, updated, unchanged }]) => [name, ...[created, updated, unchanged].map(String)]);
  process.stdout.write(
    rows.length === 0
      ? 'Nothing was stored.\n'
      : formatTable(['RESOURCE', 'NEW', 'CHANGED', 'UNCHANGED'], rows),
  );
  for (const [kind, count] of Object.entries(skipped))
    process.stdout.write(`skipped ${count}: ${stripControlCharacters(kind)}\n`);
  if (faultCount > 0) process.stderr.write(`${faultCount} rejected:\n`);
  for (const { place, reason } of faults.slice(0, FAULTS_SHOWN)) {
    process.stderr.write(`  ${stripControlCharacters(place)}: ${stripControlCharacters(reason)}\n`);
  }
  if (broken) {
    process.stderr.write(
      `The file could not be read to its end: ${stripControlCharacters(broken.message)}\n`,
    );
    process.exitCode = 1;
  }
}
