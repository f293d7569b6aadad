import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';

// Moments are Dates, days stay text, and 64-bit integers that we keep below 2^53 are numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

const NAMED_STATEMENTS_MAX = 2000;
const names = new Map<string, string>();

/** Statements are named by their text, so that a connection plans each of them once. */
function nameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= NAMED_STATEMENTS_MAX) return undefined;
  const name = `q${names.size}`;
  names.set(text, name);
  return name;
}

class PgConnection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  constructor(client: pg.PoolClient) {
    this.client = client;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    // Without parameters the text may hold several statements, which cannot be prepared.
    const name = query.parameters.length === 0 ? undefined : nameOf(query.sql);
    const result = await this.client.query({
      ...(name === undefined ? {} : { name }),
      text: query.sql,
      values: [...query.parameters],
    });
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not used: lists are read in pages');
  }
}

class PgDriver implements Driver {
  readonly #pool: pg.Pool;
  constructor(pool: pg.Pool) {
    this.#pool = pool;
  }
  async init() {}
  async acquireConnection() {
    return new PgConnection(await this.#pool.connect());
  }
  async beginTransaction(connection: PgConnection) {
    await connection.client.query('BEGIN');
  }
  async commitTransaction(connection: PgConnection) {
    await connection.client.query('COMMIT');
  }
  async rollbackTransaction(connection: PgConnection) {
    await connection.client.query('ROLLBACK');
  }
  async releaseConnection(connection: PgConnection) {
    connection.client.release();
  }
  async destroy() {
    await this.#pool.end();
  }
}

/** Kysely over a pool of `pg`; every statement is prepared once a connection. */
export function openKysely(pool: pg.Pool): Kysely<Database> {
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PgDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  return new Kysely<Database>({ dialect });
}

/** The same Kysely, bound to one connection that somebody else opened and will close. */
export function bindKysely(kysely: Kysely<Database>, client: pg.PoolClient): Kysely<Database> {
  const connection = new PgConnection(client);
  const executor = kysely
    .getExecutor()
    .withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
  return new BoundKysely(executor);
}

/** Kysely's constructor takes its inner parts as well as a configuration; a bound one needs only the executor. */
class BoundKysely extends Kysely<Database> {
  constructor(executor: ReturnType<Kysely<Database>['getExecutor']>) {
    super({ config: { dialect: unusedDialect }, dialect: unusedDialect, driver: unusedDriver, executor });
  }
}

const unused = (): never => {
  throw new Error('A transaction cannot open another one');
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
