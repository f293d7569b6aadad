import type pg from 'pg';
import { expect, inject, test } from 'vitest';
import type { CleanupTasks } from './cleanup.ts';
import { openPool, withClient } from './database.ts';

const NAME = `aliquot_stage_test_${process.pid}`;
const { connection } = inject('server');

const connections = () =>
  withClient(connection, async (client) => {
    const values = [NAME];
    const { rows } = await client.query<{ pid: number }>(
      'select pid from pg_stat_activity where application_name = $1',
      values,
    );
    return rows.map(({ pid }) => pid);
  });

async function openConnections(count: number) {
  const cleanups: CleanupTasks = [];
  const pool = openPool({ ...connection, application_name: NAME, max: count }, cleanups);
  const clients = await Promise.all(Array.from({ length: count }, () => pool.connect()));
  const close = async () => {
    for (const task of cleanups) await task();
  };
  return { pool, clients, close };
}

const terminate = (pids: readonly number[]) =>
  withClient(connection, (client) => client.query('select pg_terminate_backend(unnest($1::int[]))', [pids]));

test('ending a pool waits until all its connections are closed', async () => {
  const { clients, close } = await openConnections(8);
  for (const client of clients) client.release();
  expect(await connections()).toHaveLength(8);
  let closed = 0;
  for (const client of clients) client.once('end', () => (closed += 1));
  await close();
  expect(closed).toBe(8);
});

test('an unused pool can be ended', async () => {
  const cleanups: CleanupTasks = [];
  openPool(connection, cleanups);
  await Promise.all(cleanups.map((task) => task()));
  expect(cleanups).toHaveLength(1);
});

test('lost connections cause no unhandled error, only a failing query', async () => {
  const { pool, clients, close } = await openConnections(2);
  const [idle, used] = clients;
  const ends = clients.map((client: pg.PoolClient) => new Promise((resolve) => client.once('end', resolve)));
  idle?.release();
  await terminate(await connections());
  await Promise.all(ends);
  await expect(used?.query('select 1')).rejects.toThrow('not queryable');
  used?.release(true);
  expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await close();
});
