import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openTestService } from '../../../test/service.ts';
import { migrate } from './migrate.ts';
import { schemaReleaseOf } from './schema-version.ts';

const RELEASE = schemaReleaseOf(new URL('../../../', import.meta.url));
const { migrations: MIGRATIONS } = RELEASE;

describe('a migration', () => {
  it('that deadlocks with other work is retried, and neither loses data', async () => {
    const ours = await openTestService();
    const folder = await mkdtemp(join(tmpdir(), 'aliquot-migrations-'));
    const other = await ours.ownerPool.connect();
    try {
      await cp(MIGRATIONS, folder, { recursive: true });
      await writeFile(join(folder, '9999_two_tables.sql'), TWO_TABLES);
      await other.query("set application_name = 'other node'; set deadlock_timeout = '10min'");
      await other.query('begin');
      await other.query('lock table app_user in row exclusive mode');
      const migrated = migrate(
        ours.ownerPool,
        { ...RELEASE, migrations: pathToFileURL(`${folder}/`) },
        ours.app.log,
      );
      await expect.poll(async () => (await ours.ownerPool.query(HOLDS_THE_FIRST)).rowCount).toBe(1);
      await other.query('lock table webhook_endpoint in row exclusive mode');
      await other.query('commit');
      expect(await migrated).toEqual(['9999_two_tables']);
      expect((await ours.ownerPool.query('select from two_tables')).rowCount).toBe(1);
    } finally {
      other.release(true);
      await rm(folder, { recursive: true });
      await ours.close();
    }
  });
});

const HOLDS_THE_FIRST = `select from pg_locks
  where relation = 'webhook_endpoint'::regclass and mode = 'AccessExclusiveLock' and granted
    and database = (select oid from pg_database where datname = current_database())`;

/** Locks the second table only after the other transaction waits for the first. */
const TWO_TABLES = `
  create table two_tables (id int);
  insert into two_tables values (1);
  lock table webhook_endpoint in access exclusive mode;
  do $$ begin
    while exists (select from pg_stat_activity where datname = current_database()
      and application_name = 'other node' and state = 'idle in transaction') loop
      perform pg_sleep(0.02), pg_stat_clear_snapshot();
    end loop;
  end $$;
  lock table app_user in access exclusive mode;
`;

/** The first migration that must say what a rollback means. */
const FIRST_WITH_ROLLBACK = '0130';

it('every new migration says at its beginning what going back to the version before it means', async () => {
  const names = (await readdir(MIGRATIONS))
    .filter((name) => name.endsWith('.sql') && name >= FIRST_WITH_ROLLBACK)
    .toSorted();
  const silent: string[] = [];
  for (const name of names) {
    const lines = (await readFile(new URL(name, MIGRATIONS), 'utf8')).split('\n');
    const head = lines.slice(
      0,
      lines.findIndex((line) => !line.startsWith('--')),
    );
    if (!head.some((line) => /^-- Rollback: \S+/.test(line))) silent.push(name);
  }
  expect(silent).toEqual([]);
});
