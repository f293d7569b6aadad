import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pg from 'pg';
import { afterAll, describe, expect, it } from 'vitest';
import {
  findRunningEmbeddedPostgres,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from './embedded-postgres.ts';
import { processIdentity, sendSignal } from './processes.ts';
import { waitUntil } from './leftovers.ts';

/** The timeout for a server start, on a machine that may be busy. */
const SURE_MS = 30_000;
/** Each test starts and kills several real servers. */
const PATIENCE = { timeout: 60_000 };

const running: EmbeddedPostgres[] = [];
const folders: string[] = [];

async function start(dataDir: string, settings: Record<string, string> = {}): Promise<EmbeddedPostgres> {
  const database = await startEmbeddedPostgres({ dataDir, log: () => undefined, settings });
  running.push(database);
  return database;
}

async function folder(prefix = 'aliquot-pg-'): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), prefix));
  folders.push(made);
  return made;
}

async function query(
  database: { connection: pg.ClientConfig },
  sql: string,
): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(database.connection);
  client.on('error', () => undefined);
  await client.connect();
  return client.query(sql).then(
    ({ rows }) => client.end().then(() => rows),
    (error: unknown) => client.end().then(() => Promise.reject(error)),
  );
}

/** Queries until the server responds, as a pool does after it lost its connections. */
async function queryAgain(database: EmbeddedPostgres, sql: string): Promise<unknown[]> {
  let rows: unknown[] = [];
  const answered = async () => {
    rows = await query(database, sql);
    return true;
  };
  expect(await waitUntil(() => answered().catch(() => false), SURE_MS)).toBe(true);
  return rows;
}

/** Another Node process that starts the database and inserts numbers, saying each one that was acknowledged. */
async function inserter(
  dataDir: string,
): Promise<{ node: ChildProcess; postgres: number; acknowledged: number[] }> {
  const door = new URL('./embedded-postgres.ts', import.meta.url).href;
  const script = `
    const { startEmbeddedPostgres } = await import('${door}');
    const { default: pg } = await import('pg');
    const db = await startEmbeddedPostgres({ dataDir: process.argv[1], log: () => {} });
    console.log(db.pid);
    const client = new pg.Client(db.connection);
    client.on('error', () => {});
    await client.connect();
    await client.query('CREATE TABLE IF NOT EXISTS sample (id int)');
    for (let id = 1; ; id += 1) {
      await client.query('INSERT INTO sample VALUES ($1)', [id]);
      console.log(id);
    }`;
  const args = ['--import', 'tsx', '--input-type=module', '-e', script, dataDir];
  const node = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: node.stdout });
  const [first] = await once(lines, 'line');
  const acknowledged: number[] = [];
  lines.on('line', (line) => acknowledged.push(Number(line)));
  expect(await waitUntil(async () => acknowledged.length > 50, SURE_MS)).toBe(true);
  return { node, postgres: Number(first), acknowledged };
}

async function expectAll(database: EmbeddedPostgres, acknowledged: number[]): Promise<void> {
  const [row] = await query(
    database,
    `SELECT count(*)::int AS n FROM sample WHERE id <= ${acknowledged.length}`,
  );
  expect(row).toEqual({ n: acknowledged.length });
}

afterAll(async () => {
  await Promise.all(running.map((database) => database.stop()));
  await Promise.all(folders.map((path) => rm(path, { recursive: true, force: true })));
});

describe('the embedded database', PATIENCE, () => {
  it('starts with durable settings, keeps its rows over a restart, and belongs to one process', async () => {
    const dataDir = await folder();
    await mkdir(join(dataDir, 'postgres', 'cluster-0000.partial'), { recursive: true });
    const first = await start(dataDir, { work_mem: '6MB' });
    const shown = await query(
      first,
      `SELECT current_setting('fsync') AS fsync, current_setting('data_checksums') AS checksums,
              current_setting('server_encoding') AS encoding, current_setting('listen_addresses') AS listen,
              current_setting('work_mem') AS given, upper('ö') AS upper, current_setting('jit') AS jit,
              current_setting('autovacuum_naptime') AS naptime`,
    );
    const expected = {
      fsync: 'on',
      checksums: 'on',
      encoding: 'UTF8',
      listen: '',
      given: '6MB',
      upper: 'Ö',
      jit: 'off',
      naptime: '10s',
    };
    expect(shown).toEqual([expected]);
    await query(first, 'CREATE TABLE kept AS SELECT 1 AS id');

    await expect(start(dataDir)).rejects.toThrow(`in use by process ${process.pid}`);
    expect(await query(first, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);

    await Promise.all([first.stop(), first.stop()]);
    expect(await processIdentity(first.pid)).toBeUndefined();
    const second = await start(dataDir);
    expect(await query(second, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
    await second.stop();
    expect((await readdir(join(dataDir, 'postgres'))).sort()).toEqual(['cluster', 'run', 'server.log']);
  });

  it('is restarted at the same address when its server is killed, even during a query', async () => {
    const database = await start(await folder(), { fsync: 'off' });
    const { pid } = database;
    await query(database, 'CREATE TABLE kept AS SELECT 1 AS id');
    const busy = query(database, 'SELECT count(*) FROM generate_series(1, 1000000000)').catch(
      () => 'cut off',
    );
    const isBusy = "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%generate%' AND pid <> pg_backend_pid()";
    expect(await waitUntil(async () => (await query(database, isBusy)).length > 0, SURE_MS)).toBe(true);

    sendSignal(pid, 'SIGKILL');
    expect(await busy).toBe('cut off');
    expect(await queryAgain(database, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
    expect(await waitUntil(async () => database.pid !== pid, SURE_MS)).toBe(true);

    // PostgreSQL itself handles a killed backend: it drops the others, recovers, and keeps its pid.
    const restarted = database.pid;
    const victim = query(database, 'SELECT pg_sleep(60)').catch(() => 'cut off');
    const asleep =
      "SELECT pid FROM pg_stat_activity WHERE query LIKE '%sleep(60)' AND pid <> pg_backend_pid()";
    let asleepNow: Record<string, unknown>[] = [];
    const isAsleep = async () => (asleepNow = await query(database, asleep)).length > 0;
    expect(await waitUntil(isAsleep, SURE_MS)).toBe(true);
    sendSignal(Number(asleepNow[0]?.['pid']), 'SIGKILL');
    expect(await victim).toBe('cut off');
    expect(await queryAgain(database, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
    expect(database.pid).toBe(restarted);
    await database.stop();
    expect(await processIdentity(database.pid)).toBeUndefined();
  });

  it('is retried until it can start, for example while its disk is full', async () => {
    const dataDir = await folder();
    const failures: unknown[] = [];
    const database = await startEmbeddedPostgres({
      dataDir,
      settings: { fsync: 'off' },
      log: (message, { error, failures: count } = {}, level = 'info') => {
        if (error !== undefined) failures.push([level, count]);
      },
      longestPauseMs: 10,
    });
    running.push(database);
    await query(database, 'CREATE TABLE kept AS SELECT 1 AS id');
    const control = join(dataDir, 'postgres', 'cluster', 'global', 'pg_control');
    const { pid } = database;
    sendSignal(pid, 'SIGKILL');
    await rename(control, `${control}.away`);
    expect(await waitUntil(async () => failures.length > 12, SURE_MS)).toBe(true);
    await rename(`${control}.away`, control);
    expect(await queryAgain(database, 'SELECT id FROM kept')).toEqual([{ id: 1 }]);
    // The server answers before the supervisor has seen that it does.
    expect(await waitUntil(async () => database.pid !== pid, SURE_MS)).toBe(true);
    expect(failures.slice(0, 2)).toEqual([
      ['error', 1],
      ['error', 2],
    ]);
  });

  it('has every acknowledged row after kill -9 of Node, and after kill -9 of everything', async () => {
    const dataDir = await folder();
    const first = await inserter(dataDir);
    await expect(start(dataDir)).rejects.toThrow(`in use by process ${first.node.pid}`);
    first.node.kill('SIGKILL');
    await once(first.node, 'close');
    expect(await processIdentity(first.postgres)).toBeDefined();
    const afterNode = await start(dataDir);
    expect(await processIdentity(first.postgres)).toBeUndefined();
    await expectAll(afterNode, first.acknowledged);
    await query(afterNode, 'TRUNCATE sample');
    await afterNode.stop();

    const second = await inserter(dataDir);
    second.node.kill('SIGKILL');
    sendSignal(second.postgres, 'SIGKILL');
    await once(second.node, 'close');
    // The pid of the dead server now belongs to another program of the same user, as after a reboot.
    await writeFile(join(dataDir, 'postgres', 'cluster', 'postmaster.pid'), `${process.pid}\n`);
    await expectAll(await start(dataDir), second.acknowledged);
  });

  it('starts when the pid of its dead server belongs to another program of the same user, as after a reboot', async () => {
    const dataDir = await folder();
    const { node, postgres } = await inserter(dataDir);
    node.kill('SIGKILL');
    sendSignal(postgres, 'SIGKILL');
    await once(node, 'close');
    const home = join(dataDir, 'postgres');
    const { uid, gid } = await stat(join(home, 'cluster'));
    const other = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { uid, gid });
    await once(other, 'spawn');
    const locks = [join(home, 'cluster', 'postmaster.pid'), join(home, 'run', '.s.PGSQL.5432.lock')];
    for (const lock of locks) {
      const text = await readFile(lock, 'utf8');
      await writeFile(lock, text.replace(/^\d+/, String(other.pid)));
    }
    const again = await start(dataDir, { fsync: 'off' });
    expect(await query(again, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await again.stop();

    // An earlier version failed of the socket's lock, and left it without the other.
    await writeFile(String(locks[1]), `${other.pid}\n`);
    const third = await start(dataDir, { fsync: 'off' });
    expect(await query(third, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(other.exitCode).toBeNull();
    other.kill('SIGKILL');
    await once(other, 'close');
  });

  it('refuses the data of another major version and leaves the folder free', async () => {
    const dataDir = await folder();
    await mkdir(join(dataDir, 'postgres', 'cluster'), { recursive: true });
    await writeFile(join(dataDir, 'postgres', 'cluster', 'PG_VERSION'), '17\n');
    await expect(start(dataDir)).rejects.toThrow(/written by PostgreSQL 17.*DATABASE_URL/s);
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['cluster']);
  });

  it.each([
    ['a short', 'aliquot-pg-'],
    ['a long', 'x'.repeat(90)],
  ])('is found by other processes while it runs, in %s folder', async (_length, prefix) => {
    const dataDir = await folder(prefix);
    const find = () => findRunningEmbeddedPostgres({ dataDir, log: () => undefined });
    expect(await find()).toBeUndefined();
    const { node, postgres } = await inserter(dataDir);
    const connection = await find();
    if (!connection) throw new Error('The running server was not found');
    expect(await query({ connection }, 'SELECT count(*) > 0 AS found FROM sample')).toEqual([
      { found: true },
    ]);
    node.kill('SIGKILL');
    await once(node, 'close');
    // The server may live on, but the next process that owns the folder will stop it.
    expect(await find()).toBeUndefined();
    sendSignal(postgres, 'SIGKILL');
  });

  it('is not used by other processes before it accepts connections', async () => {
    const dataDir = await folder();
    const database = await start(dataDir, { fsync: 'off' });
    const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid');
    const text = await readFile(pidFile, 'utf8');
    await writeFile(pidFile, text.replace('ready   ', 'starting'));
    await expect(findRunningEmbeddedPostgres({ dataDir, log: () => undefined })).rejects.toThrow(
      /in use by process \d+, but does not accept connections yet/,
    );
    await writeFile(pidFile, text);
    await database.stop();
  });

  it('uses a short path for its socket when that of the folder is long', async () => {
    const dataDir = await folder('x'.repeat(90));
    const database = await start(dataDir, { fsync: 'off' });
    folders.push(String(database.connection.host));
    expect(database.connection.host).toMatch(/aliquot-[0-9a-f]{16}$/);
    expect(await query(database, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
