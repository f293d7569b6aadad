import type { Command } from 'commander';
import { restoreBackup, writeBackup } from '../backup/backup.ts';
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
The file opens only with the ENCRYPTION_KEY of today: keep that elsewhere. A server named by DATABASE_URL is copied while
the service runs; its role must be a superuser or have BYPASSRLS. The embedded database belongs to one process: stop the
service before.
`;

const RESTORE_HELP = `
With the ENCRYPTION_KEY of the backup, into a database without an organization: a new DATA_DIR, or a new database named
by DATABASE_URL, whose role must be a superuser. It is all or nothing. Where the key was changed since, restore with the
old one and run \`aliquot keys rewrap\` then.
`;

async function backup(given: Ground, file: string): Promise<void> {
  const opened = await openApp(given);
  try {
    await opened.app.keyring.check();
    const { tables, rows, files, bytes } = await writeBackup(opened.app, opened.pools.ownerPool, file);
    process.stdout.write(`${file}: ${rows} rows of ${tables} tables and ${files} files in ${bytes} bytes\n`);
  } finally {
    await opened.close();
  }
}

async function restore(given: Ground, file: string): Promise<void> {
  const opened = await openApp(given);
  try {
    const { madeAt, rows, files } = await restoreBackup(opened.app, opened.pools.ownerPool, file);
    process.stdout.write(`${rows} rows and ${files} files, as of ${madeAt}\n`);
  } finally {
    await opened.close();
  }
}
