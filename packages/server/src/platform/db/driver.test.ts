import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestService, type TestService, type TestTeam } from '../../../test/service.ts';
import { defer, inTenant, readTenant, type Work } from '../work.ts';
import { executeStatement } from './transaction-connection.ts';
import type { DeferrableStatement } from './deferred.ts';
import { DRIVER_NAMES } from './driver.ts';
import { asSystem } from './transact.ts';

const CASES = [
  ...DRIVER_NAMES.map((driver) => ({ name: driver, settings: { DATABASE_DRIVER: driver } })),
  // Statements are observed, and must behave as before.
  { name: 'traced', settings: { DATABASE_DRIVER: 'fast', OTEL_TRACES_EXPORTER: 'otlp' } },
];

describe.each(CASES)('with the $name driver', ({ settings }) => {
  let service: TestService;
  let team: TestTeam;
  beforeAll(async () => {
    service = await openTestService(settings);
    team = await service.team();
    await team.user('anna');
  });
  afterAll(() => service.close());

  const read = <T>(run: (work: Work) => Promise<T>, of = team) => readTenant(service.app, of.tenant, run);
  const ask = (work: Work, text: string, ...parameters: unknown[]) =>
    executeStatement<Record<string, unknown>>(work.tx, { sql: text, parameters }).then(({ rows }) => rows);
  const names = (work: Work, from = 'app_user') =>
    ask(work, `select client_user_id as name from ${from} where client_user_id <> $1`, '');

  describe('a statement of a reader', () => {
    it('sees the rows of its tenant, and leaves nothing of the tenant on the connection', async () => {
      const other = await service.team();
      // More often than the pool is wide, so that connections are used again and know the columns.
      for (let n = 0; n < 25; n += 1) {
        expect(await read((work) => names(work))).toEqual([{ name: 'anna' }]);
        expect(await read((work) => names(work), other)).toEqual([]);
      }
      const { rows } = await service.app.db.pool.query(
        "select current_setting('aliquot.team_id', true) as team, current_setting('transaction_read_only') as reads",
      );
      expect(rows[0]).toMatchObject({ reads: 'off' });
      expect(rows[0].team || null).toBeNull();
      expect((await service.app.db.pool.query('select count(*)::int as seen from app_user')).rows).toEqual([
        { seen: 0 },
      ]);
    });

    it('writes nothing, alone or in a transaction', async () => {
      const rename = (work: Work) => ask(work, 'update app_user set client_user_id = $1', 'berta');
      await expect(read(rename)).rejects.toMatchObject({ code: '25006' });
      const late = read(async (work) => {
        await sql`select 1`.execute(work.tx);
        return rename(work);
      });
      await expect(late).rejects.toMatchObject({ code: '25006' });
      expect(await read((work) => names(work))).toEqual([{ name: 'anna' }]);
    });

    it('may fail without affecting concurrent and later ones', async () => {
      const outcomes = await read((work) =>
        Promise.allSettled([names(work), ask(work, 'select 1 / $1::int as none', 0), names(work)]),
      );
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      for (let n = 0; n < 25; n += 1) expect(await read((work) => names(work))).toHaveLength(1);
    });

    it('is in one transaction with those that follow a setting', async () => {
      const seen = await read(async (work) => {
        await names(work);
        await sql.raw("set local statement_timeout = '1234ms'").execute(work.tx);
        return [
          await ask(work, 'select current_setting($1) as timeout', 'statement_timeout'),
          await names(work),
        ];
      });
      expect(seen).toEqual([[{ timeout: '1234ms' }], [{ name: 'anna' }]]);
    });

    it('returns named columns every time, and no rows when there are none', async () => {
      for (let n = 0; n < 25; n += 1) {
        const two = await read((work) =>
          Promise.all([
            ask(work, 'select $1::int as a, null as b', n),
            ask(work, 'select 1 as c where $1::int < 0', n),
          ]),
        );
        expect(two).toEqual([[{ a: n, b: null }], []]);
      }
    });

    it('is replanned when its table gets another column', async () => {
      const { ownerPool } = service;
      await ownerPool.query(
        'create table grown (a integer); insert into grown values (1); grant select on grown to aliquot_tenant',
      );
      const all = () => read((work) => ask(work, 'select * from grown where a = $1', 1));
      for (let n = 0; n < 25; n += 1) expect(await all()).toEqual([{ a: 1 }]);
      await ownerPool.query('alter table grown add column b integer default 2');
      for (let n = 0; n < 25; n += 1) expect(await all()).toEqual([{ a: 1, b: 2 }]);
      await ownerPool.query('drop table grown');
    });

    it('is replanned on every connection of the pool', async () => {
      const { ownerPool } = service;
      await ownerPool.query(
        'create table widened (a integer); insert into widened values (1); grant select on widened to aliquot_tenant',
      );
      const all = () => read((work) => ask(work, 'select * from widened where a = $1', 1));
      const many = () => Promise.all(Array.from({ length: 20 }, all));
      expect(new Set((await many()).flat().map((row) => JSON.stringify(row)))).toEqual(new Set(['{"a":1}']));
      await ownerPool.query('alter table widened add column b integer default 2');
      expect(await all()).toEqual([{ a: 1, b: 2 }]);
      expect((await many()).flat()).toEqual(Array.from({ length: 20 }, () => ({ a: 1, b: 2 })));
      await ownerPool.query('drop table widened');
    });

    it('of a writer is unchanged', async () => {
      const other = await service.team();
      await other.user('dora');
      await inTenant(service.app, other.tenant, async (work) => {
        await ask(work, 'update app_user set client_user_id = $1 where client_user_id = $2', 'clara', 'dora');
        expect(await names(work)).toEqual([{ name: 'clara' }]);
      });
      expect(await read((work) => names(work), other)).toEqual([{ name: 'clara' }]);
    });
  });

  describe('deferred statements', () => {
    const rename = (to: string, from: string): DeferrableStatement => ({
      compile: () => ({
        sql: 'update app_user set client_user_id = $1 where client_user_id = $2',
        parameters: [to, from],
      }),
    });
    const dividing = (by: number, failed: () => void): DeferrableStatement => ({
      compile: () => ({ sql: 'select 1 / $1::int', parameters: [by], failed }),
    });
    const write = (of: TestTeam, ...statements: DeferrableStatement[]) =>
      inTenant(service.app, of.tenant, async (work) => {
        for (const statement of statements) defer(work, statement);
      });

    it('are run in their order, however often', async () => {
      const other = await service.team();
      await other.user('a');
      // More often than the pool is wide, so that connections have prepared them.
      for (let n = 0; n < 25; n += 1) {
        await write(
          other,
          rename('b', 'a'),
          dividing(1, () => {}),
          rename('c', 'b'),
          rename('a', 'c'),
          rename('b', 'a'),
        );
        expect(await read((work) => names(work), other)).toEqual([{ name: 'b' }]);
        await write(other, rename('a', 'b'));
      }
    });

    it('roll back the work when one fails, and call its callback', async () => {
      const other = await service.team();
      await other.user('a');
      let told: string[] = [];
      const tell = (name: string) => () => void told.push(name);
      for (let n = 0; n < 25; n += 1) {
        const failing = write(
          other,
          rename('b', 'a'),
          dividing(1, tell('first')),
          dividing(0, tell('second')),
          dividing(1, tell('third')),
        );
        await expect(failing).rejects.toMatchObject({ code: '22012' });
        expect(told[0]).toBe('second');
        told = [];
        expect(await read((work) => names(work), other)).toEqual([{ name: 'a' }]);
      }
    });
  });

  describe('a transaction with deferred statements only', () => {
    const statement = (sql: string, ...parameters: unknown[]): DeferrableStatement => ({
      compile: () => ({ sql, parameters }),
    });
    const made = (name: string, id: string = randomUUID()) =>
      statement(
        'insert into app_user (team_id, environment, id, client_user_id, created_at) values ($1, $2, $3, $4, now())',
        other.tenant.teamId,
        other.tenant.environment,
        id,
        name,
      );
    const write = (...statements: DeferrableStatement[]) =>
      inTenant(service.app, other.tenant, async (work) => {
        for (const each of statements) defer(work, each);
      });
    let other: TestTeam;
    beforeAll(async () => {
      other = await service.team();
      // More often than the pool is wide, so that connections have prepared the statements.
      for (let n = 0; n < 25; n += 1) await write(made(`known ${n}`), statement('select 1 / $1::int', 1));
    });
    const found = async (name: string) =>
      (await read((work) => names(work), other)).some((row) => row['name'] === name);

    it('is all or nothing', async () => {
      await write(made('kept'), statement('select 1 / $1::int', 1));
      expect(await found('kept')).toBe(true);
      const failing = write(made('undone'), statement('select 1 / $1::int', 0));
      await expect(failing).rejects.toMatchObject({ code: '22012' });
      expect(await found('undone')).toBe(false);
      const late = write(statement('select 1 / $1::int', 1), made('undone too', 'no id'));
      await expect(late).rejects.toMatchObject({ code: '22P02' });
      expect(await found('undone too')).toBe(false);
    });

    it('keeps nothing when its commit fails', async () => {
      await service.ownerPool.query(`create table late (a integer unique deferrable initially deferred);
        grant insert on late to aliquot_tenant`);
      const add = statement('insert into late (a) values ($1)', 1);
      for (let n = 0; n < 12; n += 1)
        await expect(write(made('late'), add, add)).rejects.toMatchObject({ code: '23505' });
      expect(await found('late')).toBe(false);
      await service.ownerPool.query('drop table late');
    });

    // A text that is not prepared yet is sent differently from one that all connections have prepared.
    it.each([
      ['that is known', () => 'select 1 / $1::int'],
      ['that is new', () => `select '${randomUUID()}', $1::int`],
    ])(
      'keeps nothing where a value of a statement %s cannot be written, and serves the next one',
      async (_which, text) => {
        const unwritable = { toPostgres: () => unwritable };
        for (let n = 0; n < 12; n += 1) {
          const failing = write(made('half'), statement(text(), unwritable), made('other half'));
          await expect(failing).rejects.toThrow('circular');
          expect(await found('half')).toBe(false);
          expect(await found('other half')).toBe(false);
        }
        await write(made(text()));
        expect(await found('half')).toBe(false);
      },
    );

    it('leaves nothing of its tenant or its role on the connection', async () => {
      for (let n = 0; n < 25; n += 1) await write(made(`again ${n}`));
      for (let n = 0; n < 25; n += 1) {
        const { rows } = await service.app.db.pool.query(
          "select current_setting('aliquot.team_id', true) as team, current_role as role, (select count(*)::int from app_user) as seen",
        );
        expect({ ...rows[0], team: rows[0].team || null }).toEqual({
          team: null,
          role: 'aliquot_tenant',
          seen: 0,
        });
      }
      await asSystem(service.app.db, (tx) => sql`select 1`.execute(tx));
      const { rows } = await service.app.db.pool.query('select current_role as role');
      expect(rows).toEqual([{ role: 'aliquot_tenant' }]);
    });

    it('writes for no other tenant', async () => {
      const foreign = statement(
        'insert into app_user (team_id, environment, id, client_user_id, created_at) values ($1, $2, $3, $4, now())',
        team.tenant.teamId,
        team.tenant.environment,
        randomUUID(),
        'foreign',
      );
      for (let n = 0; n < 12; n += 1) await expect(write(foreign)).rejects.toMatchObject({ code: '42501' });
    });

    it('sends nothing when there is nothing to do', async () => {
      await expect(write()).resolves.toBeUndefined();
    });

    it('stays one transaction with an awaited statement, and with one without parameters', async () => {
      const outcome = inTenant(service.app, other.tenant, async (work) => {
        defer(work, made('first'));
        expect(
          await ask(work, 'select client_user_id from app_user where client_user_id = $1', 'first'),
        ).toHaveLength(1);
        await sql`savepoint here`.execute(work.tx);
        defer(work, made('second'));
        await sql`rollback to savepoint here`.execute(work.tx);
        defer(work, made('third'));
        throw new Error('no more');
      });
      await expect(outcome).rejects.toThrow('no more');
      expect(await found('first')).toBe(false);
      expect(await found('third')).toBe(false);
    });
  });

  describe('a database that is out of resources', () => {
    it.each(['53100', '53200', '53300'])(
      'causes a 503 with Retry-After, and keeps nothing: %s',
      async (code) => {
        const before = await read((work) => names(work));
        const full = inTenant(service.app, team.tenant, async (work) => {
          await ask(work, 'update app_user set client_user_id = $1', 'berta');
          await sql
            .raw(`do $$ begin raise exception 'no room' using errcode = '${code}'; end $$`)
            .execute(work.tx);
        });
        await expect(full).rejects.toMatchObject({ kind: 'unavailable', retryAfterSeconds: 5 });
        expect(await read((work) => names(work))).toEqual(before);
      },
    );
  });
});
