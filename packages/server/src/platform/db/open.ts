import pg from 'pg';
import type { Log } from '../log.ts';
import { openKysely } from './connection.ts';
import { SET_TCP_KEEPALIVES } from './keepalive.ts';
import { coalesceWrites } from './socket.ts';
import type { Db } from './transact.ts';

export interface Pools {
  readonly db: Db;
  /** For migrations and the job queue, which manage their own transactions. Not pipelined. */
  readonly ownerPool: pg.Pool;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 30_000;
/** Each worker pool holds one to listen for notifications. */
const OWNER_CONNECTIONS = 8;

/** With options that the types of pg lack. */
type PoolOptions = pg.PoolConfig & {
  pipeline?: boolean | undefined;
  onConnect: (client: pg.ClientBase) => Promise<unknown>;
};

/** The leading statement of a query that is sent alone: for that query it sets the tenant and refuses writes. */
export const READER_STATEMENT = 'aliquot_reader';
const PREPARE_READER = `PREPARE ${READER_STATEMENT}(text, text) AS SELECT
  set_config('transaction_read_only', 'on', true),
  set_config('aliquot.team_id', $1, true),
  set_config('aliquot.environment', $2, true)`;

/**
 * Prepares a session before it is handed out. It has the tenant role from the start, and sees no rows until a
 * transaction sets a tenant.
 *
 * All queries are short, and JIT compilation takes a hundred times as long as running one. A plan that was made while
 * its table was small is kept, so it should use an index, which stays good.
 *
 * No transaction idles for long: an idle one belongs to a process that was stopped, and is rolled back.
 */
async function beginSession(client: pg.ClientBase): Promise<void> {
  coalesceWrites(client);
  await client.query(`SET ROLE aliquot_tenant;SET jit=off;SET enable_seqscan=off;
    SET idle_in_transaction_session_timeout='60s';${SET_TCP_KEEPALIVES}`);
  await client.query(PREPARE_READER);
}

/** Opens the pools of this process. A connection that breaks while idle is replaced and logged. */
export function openPools(connection: pg.PoolConfig, size: number, log: Log): Pools {
  const common = {
    ...connection,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Detects a lost server or an ended session without sending a query.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'aliquot',
  };
  // Independent statements are sent together.
  const pipelined: PoolOptions = { ...common, max: size, pipeline: true, onConnect: beginSession };
  const pool = new pg.Pool(pipelined);
  const ownerOptions: PoolOptions = {
    ...common,
    max: OWNER_CONNECTIONS,
    onConnect: (client) => client.query(SET_TCP_KEEPALIVES),
  };
  const ownerPool = new pg.Pool(ownerOptions);
  let closing = false;
  for (const each of [pool, ownerPool]) {
    each.on('error', (error) => {
      if (!closing) log.warn({ err: error.message }, 'a pooled database connection was lost');
    });
    each.on('connect', (client) => client.on('error', () => {}));
  }
  return {
    db: { pool, kysely: openKysely(pool), log },
    ownerPool,
    close: async () => {
      closing = true;
      await Promise.allSettled([pool.end(), ownerPool.end()]);
    },
  };
}
