import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
  type Driver,
} from 'kysely';
import type { Database } from '../database.ts';
import { READER_STATEMENT, type DatabaseDriver } from '../driver.ts';
import type { KyselyFactory } from '../transaction-connection.ts';
import { FastConnection } from './connection.ts';
import { batchWrites, coalesceWrites } from './socket.ts';

/**
 * The driver that sends a transaction in as few messages and round trips as possible. This folder is the only place that
 * reaches the private interfaces of a library, which any version may change, so package.json pins these versions exactly:
 *
 * - `pg`: its query class, its connection and its socket (statement.ts, socket.ts), its conversion of values (messages.ts),
 *   and Bind and Execute messages of our own (messages.ts);
 * - `kysely`: the constructor that takes its inner parts (this file).
 *
 * docs/decisions/0012-request-performance.md says what that gains.
 */
export const fastDriver: DatabaseDriver = {
  prepareConnection: async (client) => {
    coalesceWrites(client);
    await client.query(PREPARE_READER);
  },
  connect: (client, start) => new FastConnection(client, start),
  createKysely: (connection) => createBoundKysely(connection),
  batchWrites,
};

const PREPARE_READER = `PREPARE ${READER_STATEMENT}(text, text) AS SELECT
  set_config('transaction_read_only', 'on', true),
  set_config('aliquot.team_id', $1, true),
  set_config('aliquot.environment', $2, true)`;

const unused = (): never => {
  throw new Error('A transaction cannot open another transaction');
};
const driver: Driver = {
  init: unused,
  acquireConnection: unused,
  beginTransaction: unused,
  commitTransaction: unused,
  rollbackTransaction: unused,
  releaseConnection: unused,
  destroy: unused,
};
const dialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: () => driver,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
const config = { dialect };
const executor = new Kysely<Database>(config).getExecutor();

/**
 * Kysely's constructor also accepts its inner parts. A transaction needs only an executor of its own, and a query then
 * reaches the connection in the call that executes it.
 */
const createBoundKysely: KyselyFactory = (connection) =>
  new Kysely<Database>({
    config,
    dialect,
    driver,
    executor: executor.withConnectionProvider({ provideConnection: (consumer) => consumer(connection) }),
  });
