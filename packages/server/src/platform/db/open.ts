import pg from 'pg';
import type { Log } from '../log.ts';
import { chooseDriver } from './choose-driver.ts';
import type { DatabaseDriver, DriverName } from './driver.ts';
import { SET_TCP_KEEPALIVES } from './keepalive.ts';
import { traceStatements } from './traced-driver.ts';
import type { Db } from './transact.ts';

// Timestamps become Dates, dates stay text, and 64-bit integers, which we keep below 2^53, become numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

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

/**
 * Prepares a session before it is handed out. It has the tenant role from the start, and sees no rows until a
 * transaction sets a tenant.
 *
 * All queries are short, and JIT compilation takes a hundred times as long as running one. A plan that was made while
 * its table was small is kept, so it should use an index, which stays good.
 *
 * No transaction idles for long: an idle one belongs to a process that was stopped, and is rolled back.
 */
async function beginSession(driver: DatabaseDriver, client: pg.ClientBase): Promise<void> {
  await client.query(`SET ROLE aliquot_tenant;SET jit=off;SET enable_seqscan=off;
    SET idle_in_transaction_session_timeout='60s';${SET_TCP_KEEPALIVES}`);
  await driver.prepareConnection(client);
}

interface PoolOptions {
  /** Maximum number of connections, not counting those of the owner. */
  readonly size: number;
  readonly driver: DriverName;
  /** Whether statements are spans of the request or job that runs them. */
  readonly isTraced?: boolean;
}

/** Opens the pools of this process. A connection that breaks while idle is replaced and logged. */
export function openPools(connection: pg.PoolConfig, options: PoolOptions, log: Log): Pools {
  const { size, isTraced = false } = options;
  const chosen = chooseDriver(options.driver);
  const driver = isTraced ? traceStatements(chosen) : chosen;
  const common = {
    ...connection,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Detects a lost server or an ended session without sending a query.
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    application_name: 'aliquot',
  };
  // Independent statements are sent together.
  const pool = new pg.Pool({
    ...common,
    max: size,
    pipeline: true,
    onConnect: (client) => beginSession(driver, client),
  });
  const ownerPool = new pg.Pool({
    ...common,
    max: OWNER_CONNECTIONS,
    onConnect: async (client) => void (await client.query(SET_TCP_KEEPALIVES)),
  });
  let closing = false;
  for (const each of [pool, ownerPool]) {
    each.on('error', (error) => {
      if (!closing) log.warn({ err: error.message }, 'a pooled database connection was lost');
    });
    each.on('connect', (client) => client.on('error', () => {}));
  }
  return {
    db: { pool, driver, log },
    ownerPool,
    close: async () => {
      closing = true;
      await Promise.allSettled([pool.end(), ownerPool.end()]);
    },
  };
}
