import pg from 'pg';
import type { Log } from '../log.ts';
import { openKysely } from './connection.ts';
import { ENDS_WITH_ITS_PEER } from './keepalive.ts';
import { joinWrites } from './socket.ts';
import type { Db } from './transact.ts';

export interface Pools {
  readonly db: Db;
  /** For migrations and the job queue, which bring their own transactions; it is not pipelined. */
  readonly ownerPool: pg.Pool;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const KEEP_ALIVE_MS = 30_000;
/** Each kind of workers keeps one to be woken by. */
const OWNER_CONNECTIONS = 8;

/** With options that the types of pg do not know yet. */
type PoolOptions = pg.PoolConfig & {
  pipeline?: boolean | undefined;
  onConnect: (client: pg.ClientBase) => Promise<unknown>;
};

/** Goes before a query that is sent alone: for that one query it names the tenant and refuses writes. */
export const READER = 'aliquot_reader';
const PREPARE_READER = `PREPARE ${READER}(text, text) AS SELECT
  set_config('transaction_read_only', 'on', true),
  set_config('aliquot.team_id', $1, true),
  set_config('aliquot.environment', $2, true)`;

/**
 * A connection is a tenant's from its first moment, and of no tenant yet: it sees nothing until a transaction names
 * one. It is handed out only when that is done.
 *
 * Every query of ours is short: compiling one takes a hundred times as long as running it. A statement that was
 * planned while its table was small keeps its plan, so it should be one by an index, which stays good.
 *
 * No transaction of ours rests for long: one that does is of a process that was stopped in the middle, and is undone.
 */
async function beginSession(client: pg.ClientBase): Promise<void> {
  joinWrites(client);
  await client.query(`SET ROLE aliquot_tenant;SET jit=off;SET enable_seqscan=off;
    SET idle_in_transaction_session_timeout='60s';${ENDS_WITH_ITS_PEER}`);
  await client.query(PREPARE_READER);
}

/** Opens the pools of this process. A connection that dies in the pool is replaced, and said so in the log. */
export function openPools(connection: pg.PoolConfig, size: number, log: Log): Pools {
  const common = {
    ...connection,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // A server that is gone, or has ended the session while we could not be reached, is noticed without asking it anything.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'aliquot',
  };
  // Statements that do not wait for each other go out together.
  const pipelined: PoolOptions = { ...common, max: size, pipeline: true, onConnect: beginSession };
  const pool = new pg.Pool(pipelined);
  const ownerOptions: PoolOptions = {
    ...common,
    max: OWNER_CONNECTIONS,
    onConnect: (client) => client.query(ENDS_WITH_ITS_PEER),
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
