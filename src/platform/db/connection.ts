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
import { textsOf, type Deferrable, type Text } from './deferred.ts';
import { gather } from './socket.ts';
import { isPrepared, sendStatement, type Preface } from './statement.ts';

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

/**
 * How a reader is sent: each statement a transaction of its own, with a preface that says whose rows it may see. At
 * the isolation that we use a statement sees the rows of its own moment anyway, so a transaction around several would
 * only add its BEGIN and its COMMIT. A text without parameters, as one that sets something, begins a transaction after
 * all: `begin`.
 */
export interface Singly {
  readonly preface: Preface;
  readonly begin: string;
}

const COMMIT = { name: 'aliquot_commit', text: 'COMMIT', values: [] };

/** Of a statement that is prepared, which has a name. */
const prefaceOf = ({ sql, parameters, failed }: Text): Preface => ({
  name: nameOf(sql) ?? '',
  values: parameters,
  failed,
});

class PgConnection implements DatabaseConnection {
  readonly client: pg.PoolClient;
  #waiting: Deferrable[] = [];
  #sent: Promise<unknown>[] = [];
  #singly: Singly | undefined;

  constructor(client: pg.PoolClient, singly?: Singly) {
    this.client = client;
    this.#singly = singly;
  }

  /** Whether a transaction is open that wants its end. */
  get isInTransaction(): boolean {
    return this.#singly === undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    this.flush();
    const result = await this.#send(query);
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  /** The same for a text that is made already. */
  execute(text: { sql: string; parameters: readonly unknown[] }): Promise<pg.QueryResult> {
    this.flush();
    return this.#send(text);
  }

  /** Sends the statement with the next one, or with the end of the transaction; never out of order. */
  defer(statement: Deferrable): void {
    this.#waiting.push(statement);
  }

  /** Sends what was deferred, without waiting for its answers. */
  flush(): void {
    this.#postAll(this.#company());
  }

  /** Ends the transaction, together with what was deferred. */
  commit(): Promise<pg.QueryResult> {
    return sendStatement(this.client, COMMIT, this.#company().map(prefaceOf));
  }

  /** Of what was deferred the last ones, which go out with the statement behind them; the others are sent. */
  #company(): Text[] {
    let together: Text[] = [];
    for (const text of this.#waiting.length === 0 ? [] : textsOf(this.#waiting)) {
      together.push(text);
      if (this.#isPrepared(text)) continue;
      this.#postAll(together);
      together = [];
    }
    this.#waiting = [];
    return together;
  }

  /** A text that may hold several statements goes alone. */
  #postAll(texts: readonly Text[]): void {
    const [before, last] = [texts.slice(0, -1), texts.at(-1)];
    if (last?.parameters.length === 0) this.#postAll(before);
    if (last) this.#post(last, last.parameters.length === 0 ? [] : before);
  }

  #isPrepared({ sql, parameters }: Text): boolean {
    const name = parameters.length === 0 ? undefined : nameOf(sql);
    return name !== undefined && isPrepared(this.client, name);
  }

  #post(text: Text, together: readonly Text[]): void {
    const sent = this.#send(text, together.map(prefaceOf));
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  /** The first failure of what was deferred, if there was one. */
  async deferredFailure(): Promise<unknown> {
    const outcomes = await Promise.allSettled(this.#sent);
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  #send(query: Text, together: readonly Preface[] = []): Promise<pg.QueryResult> {
    // Without parameters the text may hold several statements, which cannot be prepared.
    const isText = query.parameters.length === 0;
    const name = isText ? undefined : nameOf(query.sql);
    gather(this.client);
    if (isText && this.#singly) this.#begin(this.#singly);
    const { sql: text, parameters: values, failed } = query;
    const statement = name === undefined ? { text, values, failed } : { name, text, values, failed };
    return sendStatement(this.client, statement, this.#singly ? [this.#singly.preface] : together);
  }

  #begin({ begin }: Singly): void {
    this.#singly = undefined;
    // Should it fail, what follows fails too.
    this.client.query(begin).catch(() => {});
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

/** One connection in the hand of one transaction: its Kysely, and what goes out with the next statement. */
export interface Bound {
  readonly tx: Kysely<Database>;
  readonly flush: () => void;
  /** Ends the transaction; what was deferred goes with it. */
  readonly commit: () => Promise<pg.QueryResult>;
  readonly deferredFailure: () => Promise<unknown>;
  /** Whether there is a transaction to be ended. */
  readonly isInTransaction: () => boolean;
}

/** The same Kysely, bound to one connection that somebody else opened and will close. */
export function bindKysely(kysely: Kysely<Database>, client: pg.PoolClient, singly?: Singly): Bound {
  const connection = new PgConnection(client, singly);
  const executor = kysely
    .getExecutor()
    .withConnectionProvider({ provideConnection: (consumer) => consumer(connection) });
  const tx = new BoundKysely(executor);
  connections.set(tx, connection);
  return {
    tx,
    flush: () => connection.flush(),
    commit: () => connection.commit(),
    deferredFailure: () => connection.deferredFailure(),
    isInTransaction: () => connection.isInTransaction,
  };
}

const connections = new WeakMap<Kysely<Database>, PgConnection>();

/** Lets a statement wait for the next one of its transaction: nobody needs its answer, and a failure undoes all. */
export function deferOn(tx: Kysely<Database>, statement: Deferrable): void {
  const connection = connections.get(tx);
  if (!connection) throw new Error('Only a transaction can defer a statement');
  connection.defer(statement);
}

/** Runs a text on the connection of a transaction, past Kysely. */
export function executeOn<O>(
  tx: Kysely<Database>,
  text: { sql: string; parameters: readonly unknown[] },
): Promise<{ rows: O[] }> {
  const connection = connections.get(tx);
  if (!connection) throw new Error('Only a transaction can run a ready query');
  return connection.execute(text);
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
