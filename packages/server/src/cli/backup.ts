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
  addTeamCommands(command, ground);
}

interface TeamRestoreOptions {
  readonly team: string;
  readonly scheduled: boolean;
  readonly dryRun: boolean;
  readonly replace: boolean;
  readonly dropLaterOrders: boolean;
  readonly withoutRemovedMembers: boolean;
}

function addTeamCommands(command: Command, ground: (level?: string) => BootOptions): void {
  command
    .command('restore-team')
    .description('Restore one team from a backup into this installation; other teams are not touched')
    .argument(
      '<file>',
      'a file written by `aliquot backup`; with --scheduled a name of `backup list`, or `latest`',
    )
    .requiredOption('--team <id>', 'the team')
    .option('--scheduled', 'read a scheduled backup from its storage', false)
    .option('--dry-run', 'print what would be done, and change nothing', false)
    .option('--replace', 'delete the rows that this installation has of the team', false)
    .option(
      '--drop-later-orders',
      'lose orders that were sent, and results that came, after the backup',
      false,
    )
    .option('--without-removed-members', 'leave out what belonged to members who were removed since', false)
    .addHelpText('after', RESTORE_TEAM_HELP)
    .action((file: string, { team, ...wish }: TeamRestoreOptions) =>
      runOperation(ground('warn'), 'backup restore-team', {
        file,
        path: resolve(file),
        teamId: team,
        ...wish,
      }),
    );
  command
    .command('release-team')
    .description('Let go of what `backup restore-team` has held: it is sent when it is due')
    .argument('<team>', 'id of the team')
    .option('--only <kind...>', 'only these kinds, as listed', [])
    .option('--dry-run', 'list what is held, and change nothing', false)
    .action((teamId: string, { only, dryRun }: { only: string[]; dryRun: boolean }) =>
      runOperation(ground('warn'), 'backup release-team', { teamId, kinds: only, dryRun }),
    );
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

const RESTORE_TEAM_HELP = `
Needs the same version and the key of the backup, and a superuser. Everything of the team becomes as in the backup, in one
transaction, or nothing changes. Whatever would send something out (orders, kits, mail, webhooks, requests to providers) is
held and listed; \`aliquot backup release-team\` lets go of it. Begin with --dry-run. For a moment all teams wait with
their writes.
`;

const RESTORE_HELP = `
Needs the master key of the backup: its ENCRYPTION_KEY or KEY_PROVIDER (if none was set, the key in encryption.key in the
data folder), and a database without organizations: a new DATA_DIR, or a new database at DATABASE_URL, whose role must be
a superuser. It restores everything or nothing. If the key has changed since, restore with the old one and then run
\`aliquot keys rewrap\`.
`;
