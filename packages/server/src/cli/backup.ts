import { resolve } from 'node:path';
import type { Command } from 'commander';
import { fileSource, restoreBackup, writeBackup } from '../backup/backup.ts';
import { loadEncryptionKey } from '../platform/crypto/encryption-key.ts';
import { openApp, type BootOptions } from '../service.ts';

export function backupCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('backup')
    .description('Back up the database, as of one point in time, and the files to one encrypted file')
    .argument('<file>', 'path of the backup; must not exist')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string) => backup(ground('warn'), file));
}

export function restoreCommand(program: Command, ground: (level?: string) => BootOptions): void {
  program
    .command('restore')
    .description('Restore a backup to an empty database')
    .argument('<file>', 'a file written by `aliquot backup`')
    .addHelpText('after', RESTORE_HELP)
    .action((file: string) => restore(ground('warn'), file));
}

const BACKUP_HELP = `
The file can be opened only with the master key of now: keep that key elsewhere. The command says which it is. A key that
was never set is in encryption.key in the data folder, which is not part of the backup. Neither is credentials.json, but
its keys stay valid. A database at DATABASE_URL can be backed up while the service runs; the role must be a superuser or
have BYPASSRLS. Only one process can use the embedded database: stop the service first, or set BACKUP_SCHEDULE, with
which the service itself writes backups.
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

const KEY_NEEDED =
  'A backup can be opened only with the ENCRYPTION_KEY that it was made with: set that key. If none was set, it is in ' +
  'encryption.key in the data folder of the service that was backed up.';

async function restore(given: BootOptions, file: string): Promise<void> {
  // A newly generated key would open nothing, and a later start would take it for the key of the data.
  const isLocal = given.config.KEY_PROVIDER === undefined || given.config.KEY_PROVIDER === 'file';
  if (isLocal && (await loadEncryptionKey(given.config)) === undefined) throw new Error(KEY_NEEDED);
  const opened = await openApp(given);
  try {
    const source = fileSource(file);
    const { madeAt, rows, files } = await restoreBackup(opened.app, opened.pools.ownerPool, { source });
    process.stdout.write(`${rows} rows and ${files} files, as of ${madeAt}\n`);
    if (given.config.ENCRYPTION_KEY !== undefined) {
      process.stdout.write('Start the service with the same ENCRYPTION_KEY.\n');
    }
  } finally {
    await opened.close();
  }
}
