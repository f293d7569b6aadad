import type pg from 'pg';
import type { Config } from '../platform/config.ts';
import { openPools } from '../platform/db/open.ts';
import type { Db } from '../platform/db/transact.ts';
import { findRunningEmbeddedPostgres } from '../platform/embedded-postgres/embedded-postgres.ts';
import { openLog } from '../platform/log.ts';

/** A connection that only looks. */
export interface DatabaseConnection {
  readonly isEmbedded: boolean;
  /** As the owner of the tables. */
  readonly pool: pg.Pool;
  /** As the service. */
  readonly db: Db;
  close(): Promise<void>;
}

/** Thrown when the embedded database is not running: then there is nothing to connect to, and nothing is wrong. */
export class DatabaseStoppedError extends Error {
  constructor() {
    super('The embedded database runs with the service, which is stopped');
    this.name = 'DatabaseStoppedError';
  }
}

/** Connects to the database of the configuration, without starting or changing anything. */
export async function connectToDatabase(config: Config): Promise<DatabaseConnection> {
  const url = config.DATABASE_URL;
  const found =
    url === undefined
      ? await findRunningEmbeddedPostgres({ dataDir: config.DATA_DIR, log: () => {} })
      : { connectionString: url };
  if (!found) throw new DatabaseStoppedError();
  const pools = openPools(found, { size: 2, driver: 'plain' }, openLog('silent'));
  try {
    await pools.ownerPool.query('select 1');
  } catch (error) {
    await pools.close();
    throw error;
  }
  return {
    isEmbedded: url === undefined,
    pool: pools.ownerPool,
    db: pools.db,
    close: () => pools.close(),
  };
}
