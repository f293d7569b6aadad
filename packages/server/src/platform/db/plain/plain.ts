import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from 'kysely';
import type { Database } from '../database.ts';
import type { DatabaseDriver } from '../driver.ts';
import { PlainConnection } from './connection.ts';

/**
 * The driver that uses only the public interfaces of `pg` and Kysely: a named query for each statement, and a Kysely
 * dialect for each transaction. For versions of these packages that the fast driver does not know, and to tell whether
 * a fault is in the fast one: the suite also runs on this driver.
 */
export const plainDriver: DatabaseDriver = {
  prepareConnection: async (client) => {
    // Jobs are enqueued by the queue's public functions only (migration 0087).
    await client.query("SET aliquot.queue_interface='public'");
  },
  connect: (client, start) => new PlainConnection(client, start),
  createKysely: (connection) => new Kysely<Database>({ dialect: new ConnectionDialect(connection) }),
  batchWrites: () => {},
};

/** A dialect that runs everything on one connection, which its owner opens and ends. */
class ConnectionDialect implements Dialect {
  readonly #connection: DatabaseConnection;
  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }
  createAdapter() {
    return new PostgresAdapter();
  }
  createDriver() {
    return new ConnectionDriver(this.#connection);
  }
  createIntrospector(db: Kysely<unknown>) {
    return new PostgresIntrospector(db);
  }
  createQueryCompiler() {
    return new PostgresQueryCompiler();
  }
}

class ConnectionDriver implements Driver {
  readonly #connection: DatabaseConnection;
  constructor(connection: DatabaseConnection) {
    this.#connection = connection;
  }
  async init() {}
  async acquireConnection() {
    return this.#connection;
  }
  async beginTransaction() {
    throw new Error('A transaction cannot open another transaction');
  }
  async commitTransaction() {}
  async rollbackTransaction() {}
  async releaseConnection() {}
  async destroy() {}
}
