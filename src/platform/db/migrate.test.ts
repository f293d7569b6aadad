import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openHouse, type House } from '../../../test/house.ts';
import { migrate } from './migrate.ts';

const MIGRATIONS = new URL('../../../migrations/', import.meta.url);

let house: House;
beforeAll(async () => {
  house = await openHouse();
});
afterAll(() => house.close());

describe('a migration', () => {
  it('of a database that a newer version has migrated is refused in words of the operator, and changes nothing', async () => {
    const { owner, app } = house;
    const done = async () => (await owner.query('select name from kysely_migration order by name')).rows;
    expect(await migrate(owner, MIGRATIONS, app.log)).toEqual([]);
    await owner.query(
      `insert into kysely_migration values ('9998_of_tomorrow', 'then'), ('9999_of_later', 'then')`,
    );
    const before = await done();
    await expect(migrate(owner, MIGRATIONS, app.log)).rejects.toThrow(
      /^This database is that of a newer version of Aliquot: it has 9999_of_later, .*Start that version/,
    );
    expect(await done()).toEqual(before);
  });

  it('that waits for who waits for it begins anew, and loses nothing of either', async () => {
    const ours = await openHouse();
    const folder = await mkdtemp(join(tmpdir(), 'aliquot-migrations-'));
    const other = await ours.owner.connect();
    try {
      await cp(MIGRATIONS, folder, { recursive: true });
      await writeFile(join(folder, '9999_two_tables.sql'), TWO_TABLES);
      await other.query("set application_name = 'other node'; set deadlock_timeout = '10min'");
      await other.query('begin');
      await other.query('lock table app_user in row exclusive mode');
      const migrated = migrate(ours.owner, pathToFileURL(`${folder}/`), ours.app.log);
      await expect.poll(async () => (await ours.owner.query(HOLDS_THE_FIRST)).rowCount).toBe(1);
      await other.query('lock table webhook_endpoint in row exclusive mode');
      await other.query('commit');
      expect(await migrated).toEqual(['9999_two_tables']);
      expect((await ours.owner.query('select from two_tables')).rowCount).toBe(1);
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

/** Takes the second table only when the other one waits for the first. */
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
