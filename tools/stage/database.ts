import pg from 'pg';
import type { CleanupTasks } from './cleanup.ts';

/*
 * Connections of benches and fault scenes, whose servers end while connections to them are open. An `error` event
 * without a listener would end the whole command; the query that is affected fails all the same.
 */

/** A pool that `cleanups` ends. Its connections are gone before the next task runs, which may stop the server. */
export function openPool(config: pg.PoolConfig, cleanups: CleanupTasks): pg.Pool {
  const pool = ignoreLostConnections(new pg.Pool(config));
  cleanups.push(() => endPool(pool));
  return pool;
}

/** Also for a pool of a process that ends with its server. */
export function ignoreLostConnections(pool: pg.Pool): pg.Pool {
  pool.on('error', () => {});
  // The listener of the pool is taken off while a connection is in use.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/**
 * `pool.end()` resolves when the goodbyes are sent. A server that stops before it has read them answers with an error,
 * so this waits until each connection is closed.
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

/** A new database on the server at `serverUrl`, which `cleanups` drops; answers its URL. */
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
