import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fileSource, findBackup, restoreBackup, writeBackup } from '../backup/backup.ts';
import { requireKey } from './require-key.ts';
import { openApp, type BootOptions } from '../service.ts';

export function backupCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const command = program
    .command('backup')
    .description('Back up the database, as of one point in time, and the files to one encrypted file')
    .argument('<file>', 'path of the backup; must not exist')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string) => backup(ground('warn'), file));
  command
    .command('list')
    .description('List the scheduled backups, and which key opens each')
    .action(async () => (await import('./scheduled-backups.ts')).listScheduled(ground('warn')));
  command
    .command('verify')
    .description('Restore a backup into a temporary database and check it')
    .argument('[backup]', 'a name of `backup list`, `latest`, or the path of a file', 'latest')
    .addHelpText('after', VERIFY_HELP)
    .action(async (name: string) => (await import('./scheduled-backups.ts')).verify(ground('warn'), name));
}

export function restoreCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('restore')
    .description('Restore a backup to an empty database')
    .argument(
      '<file>',
      'a file written by `aliquot backup`; with --scheduled a name of `backup list`, or `latest`',
    )
    .option('--scheduled', 'restore a scheduled backup from its storage', false)
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, { scheduled }: { scheduled: boolean }) =>
      restore(ground('warn'), { file, scheduled }),
    );
}

const BACKUP_HELP = `
The file can be opened only with the master key of now: keep that key elsewhere. The command says which it is. A key that
was never set is in encryption.key in the data folder, which is not part of the backup. Neither is credentials.json, but
its keys stay valid. A database at DATABASE_URL can be backed up while the service runs; the role must be a superuser or
have BYPASSRLS. Only one process can use the embedded database: stop the service first, or set BACKUP_SCHEDULE, with
which the service itself writes backups.
`;

const VERIFY_HELP = `
Runs next to the service and does not touch its database: the backup is restored into an embedded database in a folder of
DATA_DIR, which is deleted at the end. Every row is compared with the backup, a sample of the encrypted values of every
column is decrypted, and the audit logs are verified. Ends with 1 if something is wrong.
`;

const RESTORE_HELP = `
Needs the master key of the backup: its ENCRYPTION_KEY or KEY_PROVIDER (if none was set, the key in encryption.key in the
data folder), and a database without organizations: a new DATA_DIR, or a new database at DATABASE_URL, whose role must be
a superuser. It restores everything or nothing. If the key has changed since, restore with the old one and then run
\`aliquot keys rewrap\`.
`;

async function backup(given: BootOptions, file: string): Promise<void> {
  const opened = await openApp(given);
  try {
    const { keyring } = opened.app;
    await keyring.check();
    const { tables, rows, files, bytes } = await writeBackup(opened.app, opened.pools.ownerPool, file);
    const { name, fingerprint, location } = keyring.provider;
    const where = name === 'file' ? resolve(location) : location;
    process.stdout.write(
      `${file}: ${rows} rows of ${tables} tables and ${files} files in ${bytes} bytes\n` +
        `It can be opened only with the key in ${where}: keep a copy of that key elsewhere.\n` +
        `Key provider ${name}, fingerprint ${fingerprint}\n`,
    );
  } finally {
    await opened.close();
  }
}

async function restore(
  given: BootOptions,
  { file, scheduled }: { file: string; scheduled: boolean },
): Promise<void> {
  await requireKey(given.config);
  const opened = await openApp(given);
  try {
    const { app, pools } = opened;
    const source = scheduled ? (await findBackup(app.backupStorage, file)).source : fileSource(file);
    const { madeAt, rows, files } = await restoreBackup(app, pools.ownerPool, { source });
    process.stdout.write(`${rows} rows and ${files} files, as of ${madeAt}\n`);
    if (given.config.ENCRYPTION_KEY !== undefined) {
      process.stdout.write('Start the service with the same ENCRYPTION_KEY.\n');
    }
  } finally {
    await opened.close();
  }
}
