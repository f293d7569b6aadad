import pg from 'pg';
import type { CleanupTasks } from './cleanup.ts';

/*
 * Database connections for benches and fault scenes, whose servers stop while connections are open. An `error` event
 * without a listener would end the whole command; the affected query fails anyway.
 */

/** A pool that `cleanups` ends. Its connections are gone before the next task runs, which may stop the server. */
export function openPool(config: pg.PoolConfig, cleanups: CleanupTasks): pg.Pool {
  const pool = ignoreLostConnections(new pg.Pool(config));
  cleanups.push(() => endPool(pool));
  return pool;
}

/** Also for a pool whose process ends with its server. */
export function ignoreLostConnections(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {});
  // The pool removes its listener while a connection is in use.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * `pool.end()` resolves when the termination messages are sent. A server that stops before it has read them answers
 * with an error, so this waits until each connection is closed.
 */
async function endPool(pool: pg.Pool): Promise<void> {
  let open = pool.totalCount;
  const closed = new Promise<void>((resolve) => {
    if (open === 0) resolve();
    pool.on('remove', () => ((open -= 1) === 0 ? resolve() : undefined));
  });
  await pool.end();
  await closed;
}

/** A connection that `cleanups` ends. */
export async function openClient(config: pg.ClientConfig, cleanups: CleanupTasks): Promise<pg.Client> {
  const client = new pg.Client(config);
  client.on('error', () => {});
  await client.connect();
  cleanups.push(() => client.end());
  return client;
}

/** Runs `use` on a connection of its own. */
export async function withClient<T>(
  config: pg.ClientConfig,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const cleanups: CleanupTasks = [];
  const client = await openClient(config, cleanups);
  return use(client).finally(() => Promise.all(cleanups.map((end) => end())));
}

/** Creates a database on the server at `serverUrl`, which `cleanups` drops; returns its URL. */
export async function createDatabase(
  serverUrl: string,
  name: string,
  cleanups: CleanupTasks,
): Promise<string> {
  const run = (statement: string) =>
    withClient({ connectionString: serverUrl }, (client) => client.query(statement));
  await run(`create database ${name}`);
  cleanups.push(() => run(`drop database ${name} with (force)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}
