import { resolve } from 'node:path';
import type { Command } from 'commander';
import { restoreBackup, writeBackup } from '../backup/backup.ts';
import { encryptionKeyFile, knownEncryptionKey } from '../platform/crypto/encryption-key.ts';
import { openApp, type Ground } from '../service.ts';

export function backupCommand(program: Command, ground: (level?: string) => Ground): void {
  program
    .command('backup')
    .description('Write everything into one sealed file: the database as of one moment, and the files')
    .argument('<file>', 'where to; it must not exist')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string) => backup(ground('warn'), file));
}

export function restoreCommand(program: Command, ground: (level?: string) => Ground): void {
  program
    .command('restore')
    .description('Fill an empty database from a backup')
    .argument('<file>', 'what `aliquot backup` wrote')
    .addHelpText('after', RESTORE_HELP)
    .action((file: string) => restore(ground('warn'), file));
}

const BACKUP_HELP = `
The file opens only with the ENCRYPTION_KEY of today: keep that elsewhere. Never set one? It is in encryption.key in the
data folder, and not in the backup; nor are the keys of credentials.json, which go on all the same. A server named by DATABASE_URL is copied while
the service runs; its role must be a superuser or have BYPASSRLS. The embedded database belongs to one process: stop the
service before.
`;

const RESTORE_HELP = `
With the ENCRYPTION_KEY of the backup (that of encryption.key in the data folder, where none was set), into a database without an organization: a new DATA_DIR, or a new database named
by DATABASE_URL, whose role must be a superuser. It is all or nothing. Where the key was changed since, restore with the
old one and run \`aliquot keys rewrap\` then.
`;

async function backup(given: Ground, file: string): Promise<void> {
  const opened = await openApp(given);
  try {
    await opened.app.keyring.check();
    const { tables, rows, files, bytes } = await writeBackup(opened.app, opened.pools.ownerPool, file);
    process.stdout.write(`${file}: ${rows} rows of ${tables} tables and ${files} files in ${bytes} bytes\n`);
    if (given.config.ENCRYPTION_KEY === undefined) {
      const key = resolve(encryptionKeyFile(given.config));
      process.stdout.write(`It opens only with the key in ${key}: keep a copy of that elsewhere.\n`);
    }
  } finally {
    await opened.close();
  }
}

const KEY_NEEDED =
  'A backup opens only with the ENCRYPTION_KEY that it was made with: set that. Where none was set, it is in ' +
  'encryption.key in the data folder of the service that was backed up.';

async function restore(given: Ground, file: string): Promise<void> {
  // A key that is made here would open nothing, and a later start would take it for the one of the data.
  if ((await knownEncryptionKey(given.config)) === undefined) throw new Error(KEY_NEEDED);
  const opened = await openApp(given);
  try {
    const { madeAt, rows, files } = await restoreBackup(opened.app, opened.pools.ownerPool, file);
    process.stdout.write(`${rows} rows and ${files} files, as of ${madeAt}\n`);
    if (given.config.ENCRYPTION_KEY !== undefined) {
      process.stdout.write('Start the service with the same ENCRYPTION_KEY.\n');
    }
  } finally {
    await opened.close();
  }
}
