import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chownTo } from './account.ts';
import type { DatabaseHome } from './home.ts';

/** The name of our settings file in the data folder; postgresql.conf includes it since initdb. */
export const SETTINGS_FILE = 'aliquot.conf';

// prettier-ignore
const DEFAULTS: Record<string, string> = {
  max_connections:                  '100',
  shared_buffers:                   '64MB',
  effective_cache_size:             '512MB',
  random_page_cost:                 '1.1',       // solid state disks
  jit:                              'off',       // compiling costs more than our short queries
  max_parallel_workers_per_gather:  '0',         // no shared segments in a container's 64 MB of /dev/shm
  max_parallel_maintenance_workers: '0',
  max_logical_replication_workers:  '0',         // nobody replicates from here: fewer processes, less WAL
  max_wal_senders:                  '0',
  wal_level:                        'minimal',
  io_method:                        'sync',      // three I/O processes fewer
  // A new database is filled faster than once a minute; until its first statistics, queries read a whole team's rows.
  autovacuum_naptime:               '10s',
  huge_pages:                       'off',       // "try" is a bus error in containers with a limit on them
  min_wal_size:                     '64MB',
  max_wal_size:                     '512MB',
  timezone:                         'UTC',
  log_timezone:                     'UTC',
  datestyle:                        'iso, ymd',
  unix_socket_permissions:          '0700',
  // The life of the server only. Failed statements reach their caller, and could carry a patient's data.
  log_min_messages:                 'log',
  log_min_error_statement:          'panic',
  log_error_verbosity:              'terse',
  log_checkpoints:                  'off',
  log_line_prefix:                  '%m [%p] ',
  // Without it macOS leaves acknowledged rows in the disk's own cache, where a power cut takes them.
  ...(process.platform === 'darwin' ? { wal_sync_method: 'fsync_writethrough' } : {}),
};

/**
 * Rewrites our settings at each start, so that they match the version of Aliquot. To change one permanently use ALTER
 * SYSTEM: its file is read later and wins.
 */
export async function writeSettings(
  { cluster, account }: DatabaseHome,
  extra: Record<string, string>,
): Promise<void> {
  const lines = Object.entries({ ...DEFAULTS, ...extra }).map(
    ([name, value]) => `${named(name)} = ${quoted(value)}`,
  );
  const file = join(cluster, SETTINGS_FILE);
  await writeFile(`${file}.new`, `# Written by Aliquot at every start.\n${lines.join('\n')}\n`, {
    mode: 0o600,
  });
  await chownTo(account, `${file}.new`);
  await rename(`${file}.new`, file);
}

function named(name: string): string {
  if (/^[a-z_][a-z0-9_.]*$/i.test(name)) return name;
  throw new Error(`${JSON.stringify(name)} is not the name of a PostgreSQL setting`);
}

const quoted = (value: string): string => `'${value.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
