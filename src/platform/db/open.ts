import pg from 'pg';
import type { Log } from '../log.ts';
import { joinWrites, openKysely } from './connection.ts';
import type { Db } from './transact.ts';

export interface Pools {
  readonly db: Db;
  /** For migrations and the job queue, which bring their own transactions; it is not pipelined. */
  readonly ownerPool: pg.Pool;
  close(): Promise<void>;
}

const CONNECT_TIMEOUT_MS = 5000;
const OWNER_CONNECTIONS = 6;

/** Opens the pools of this process. A connection that dies in the pool is replaced, and said so in the log. */
export function openPools(connection: pg.PoolConfig, size: number, log: Log): Pools {
  const common = { ...connection, connectionTimeoutMillis: CONNECT_TIMEOUT_MS, application_name: 'aliquot' };
  // Statements that do not wait for each other go out together; the types of pg do not know the option yet.
  const pipelined: pg.PoolConfig & { pipeline: boolean } = { ...common, max: size, pipeline: true };
  const pool = new pg.Pool(pipelined);
  const ownerPool = new pg.Pool({ ...common, max: OWNER_CONNECTIONS });
  pool.on('connect', joinWrites);
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
