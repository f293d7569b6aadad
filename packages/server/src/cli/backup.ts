import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { BootOptions } from '../service.ts';
import { runOperation } from './run-operation.ts';

export function backupCommand(program: Command, ground: (level?: string) => BootOptions): void {
  const command = program
    .command('backup')
    .description('Back up the database, as of one point in time, and the files to one encrypted file')
    .argument('<file>', 'path of the backup; must not exist')
    .addHelpText('after', BACKUP_HELP)
    .action((file: string) => runOperation(ground('warn'), 'backup', { file, path: resolve(file) }));
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
    .action(async (file: string, { scheduled }: { scheduled: boolean }) =>
      (await import('./restore.ts')).restore(ground('warn'), { file, scheduled }),
    );
}

const BACKUP_HELP = `
The file can be opened only with the master key of now: keep that key elsewhere. The command says which it is. A key that
was never set is in encryption.key in the data folder, which is not part of the backup. Neither is credentials.json, but
its keys stay valid. The running service of DATA_DIR writes the file if there is one. The role of DATABASE_URL must be a
superuser or have BYPASSRLS. With BACKUP_SCHEDULE the service writes backups without a command.
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
