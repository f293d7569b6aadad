import { execFile } from 'node:child_process';
import { chmodSync, readdirSync } from 'node:fs';
import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from '../faults/service-process.ts';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** The programs of the newest PostgreSQL that Debian installed; undefined where there is none. */
export function findPostgresPrograms(): string | undefined {
  try {
    const [newest] = readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a));
    return newest === undefined ? undefined : join(DEBIAN, newest, 'bin');
  } catch {
    return undefined;
  }
}

/** A PostgreSQL that archives its log, as an operator runs one, with the means to go back to a moment. */
export interface ArchivingCluster {
  readonly url: string;
  query(text: string): Promise<pg.QueryResult>;
  /** Copies the running cluster, as `pg_basebackup` does. */
  backUp(): Promise<void>;
  /** Names this moment in the log. */
  markMoment(name: string): Promise<void>;
  /** Loses the cluster, its log archive aside, and makes it again from the backup, up to a named moment. */
  loseAndRestore(moment: string): Promise<void>;
  close(): Promise<void>;
}

/** As root, everything runs as the user `postgres`, which PostgreSQL demands. */
export async function openArchivingCluster(programs: string): Promise<ArchivingCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'aliquot-archiving-'));
  const isRoot = process.getuid?.() === 0;
  if (isRoot) await run('chown', ['postgres', folder]);
  chmodSync(folder, 0o755);
  const as = (command: string, args: readonly string[]) =>
    isRoot
      ? run('runuser', ['-u', 'postgres', '--', command, ...args], { cwd: '/' })
      : run(command, [...args], { cwd: '/' });
  const port = await freePort();
  const [data, backup, archive] = ['data', 'backup', 'archive'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const program = (name: string) => join(programs, name);
  const start = () => as(program('pg_ctl'), ['start', '-w', '-D', data, '-l', join(folder, 'log')]);
  await as('mkdir', [archive]);
  await as(program('initdb'), ['-D', data, '-U', 'postgres', '-E', 'UTF8', '--locale=C', '-A', 'trust']);
  await appendFile(
    join(data, 'postgresql.conf'),
    [
      `port = ${port}`,
      `listen_addresses = '127.0.0.1'`,
      `unix_socket_directories = ''`,
      `archive_mode = on`,
      `archive_command = 'cp %p ${archive}/%f'`,
      '',
    ].join('\n'),
  );
  await start();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const query = async (text: string) => {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    return client.query(text).finally(() => client.end());
  };
  /** Ends the current segment of the log, and waits until the archive has it. */
  const archiveLog = async () => {
    const { rows } = await query('select pg_walfile_name(pg_switch_wal()) as segment');
    const isArchived = async () => {
      const { rows: archived } = await query('select last_archived_wal as segment from pg_stat_archiver');
      return String(archived[0]?.segment) >= String(rows[0]?.segment);
    };
    while (!(await isArchived())) await sleep(20);
  };
  return {
    url,
    query,
    backUp: async () => {
      const connection = ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres'];
      // Without a fast checkpoint it begins only with the next one, minutes later.
      await as(program('pg_basebackup'), [...connection, '--checkpoint=fast', '-D', backup]);
    },
    markMoment: async (name) => {
      await query(`select pg_create_restore_point('${name}')`);
    },
    loseAndRestore: async (moment) => {
      await archiveLog();
      await as(program('pg_ctl'), ['stop', '-w', '-m', 'immediate', '-D', data]);
      await rm(data, { recursive: true });
      await as('cp', ['-a', backup, data]);
      await appendFile(
        join(data, 'postgresql.auto.conf'),
        [
          `restore_command = 'cp ${archive}/%f %p'`,
          `recovery_target_name = '${moment}'`,
          `recovery_target_action = 'promote'`,
          '',
        ].join('\n'),
      );
      await as('touch', [join(data, 'recovery.signal')]);
      await start();
    },
    close: async () => {
      await as(program('pg_ctl'), ['stop', '-w', '-m', 'immediate', '-D', data]).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}
