import { open, type FileHandle } from 'node:fs/promises';
import type { Command } from 'commander';
import type { App } from '../app.ts';
import { FileReport, importFile, kindOfFile, tenantOfUser, type Imported } from '../wearables/wearables.ts';
import { openApp, type Ground } from '../service.ts';
import { harmless, table } from './terminal.ts';
import { barOf, openProgress } from './wearables-progress.ts';

/** What a user's devices have measured. */
export function wearablesCommand(program: Command, ground: (level?: string) => Ground): void {
  program
    .command('wearables')
    .description('What the devices of users have measured')
    .command('import')
    .description('Bring a FIT, TCX or GPX file, or an export of Apple Health, as history of a user')
    .argument(
      '<file>',
      'its name does not count; .gz is unpacked; docs/wearable-files.md has what becomes of it',
    )
    .requiredOption('--user <id>', 'the id of the user')
    .addHelpText('after', HELP)
    .action(async (file: string, { user }: { user: string }) => bring(ground('warn'), file, user));
}

const HELP = `
The same file again changes nothing. No daily events tell of what is brought. It ends with 1 where the file could not be
read to its end. The embedded database belongs to one process: stop the service before.
`;

const FAULTS_SHOWN = 20;

async function bring(given: Ground, path: string, user: string): Promise<void> {
  const file = await open(path).catch((error: unknown) => {
    throw new Error(`${path} cannot be opened: ${error instanceof Error ? error.message : 'unknown'}`);
  });
  const opened = await openApp(given).catch(async (error: unknown) => {
    await file.close();
    throw error;
  });
  try {
    tell(await imported(opened.app, file, user));
  } finally {
    await file.close();
    await opened.close();
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function imported(app: App, file: FileHandle, user: string): Promise<Imported> {
  const kind = await kindOfFile(file);
  const tenant = UUID.test(user) ? await tenantOfUser(app, user) : undefined;
  if (!tenant) throw new Error(`There is no user ${harmless(user)}.`);
  const report = new FileReport();
  let readings = 0;
  const check = () => (readings += 1);
  const bar = openProgress(process.stderr, () =>
    barOf(report.done, report.total, `${kind}, ${readings} readings`),
  );
  try {
    return await importFile(app, { tenant, userId: user.toLowerCase() }, { file, kind, report, check });
  } finally {
    bar.stop();
  }
}

function tell({ counts, skipped, faults, faultCount, broken }: Imported): void {
  const rows = Object.entries(counts)
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([name, { created, updated, unchanged }]) => [name, ...[created, updated, unchanged].map(String)]);
  process.stdout.write(
    rows.length === 0 ? 'Nothing was stored.\n' : table(['RESOURCE', 'NEW', 'CHANGED', 'AS BEFORE'], rows),
  );
  for (const [kind, count] of Object.entries(skipped))
    process.stdout.write(`skipped ${count}: ${harmless(kind)}\n`);
  if (faultCount > 0) process.stderr.write(`${faultCount} left out:\n`);
  for (const { place, reason } of faults.slice(0, FAULTS_SHOWN)) {
    process.stderr.write(`  ${harmless(place)}: ${harmless(reason)}\n`);
  }
  if (broken) {
    process.stderr.write(`The file could not be read to its end: ${harmless(broken.message)}\n`);
    process.exitCode = 1;
  }
}
