import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Dialect,
  type Driver,
} from 'kysely';
import type { Database } from './database.ts';

/**
 * A Kysely that is bound to the connection of one transaction. Kysely's constructor also accepts its internal parts; a
 * bound one needs only the executor.
 */
export class BoundKysely<C> extends Kysely<Database> {
  readonly transactionConnection: C;

  constructor(executor: ReturnType<Kysely<Database>['getExecutor']>, connection: C) {
    super({ config: { dialect: unusedDialect }, dialect: unusedDialect, driver: unusedDriver, executor });
    this.transactionConnection = connection;
  }
}

const unused = (): never => {
  throw new Error('A transaction cannot open another transaction');
};
const unusedDriver: Driver = {
  init: unused,
  acquireConnection: unused,
  beginTransaction: unused,
  commitTransaction: unused,
  rollbackTransaction: unused,
  releaseConnection: unused,
  destroy: unused,
};
const unusedDialect: Dialect = {
  createAdapter: () => new PostgresAdapter(),
  createDriver: unused,
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
};
