import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type CompiledQuery,
  type Dialect,
  type Driver,
  type QueryResult,
} from 'kysely';
import pg from 'pg';
import type { Database } from './database.ts';
import { compileDeferred, type DeferrableStatement, type SqlStatement } from './deferred.ts';
import {
  TransactionConnection,
  bindConnection,
  type PipelinedConnection,
  type ConnectionScope,
} from './transaction-connection.ts';
import { batchWrites } from './socket.ts';
import { BEGIN_NAME, isPrepared, sendStatement, type LeadingStatement } from './statement.ts';

// Timestamps become Dates, dates stay text, and 64-bit integers, which we keep below 2^53, become numbers.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (text: string) => text);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);

const NAMED_STATEMENTS_MAX = 2000;
const names = new Map<string, string>();

/** Statements are named by their text, so that each connection plans them once. */
function statementNameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= NAMED_STATEMENTS_MAX) return undefined;
  const name = `q${names.size}`;
  names.set(text, name);
  return name;
}

/**
 * How a reader is sent: each statement is its own transaction, after a leading statement that sets the tenant. At READ
 * COMMITTED each statement has its own snapshot anyway, so a transaction around several would only add BEGIN and
 * COMMIT. A text without parameters, such as a SET, starts a real transaction: `begin`.
 */
export interface ReaderStart {
  readonly preface: LeadingStatement;
  readonly begin: () => string;
}

/**
 * How a writer is sent: the statement that sets the tenant goes out after BEGIN with the first statement that needs a
 * result. If none does, all deferred statements are sent together at the end: one implicit transaction without BEGIN
 * and COMMIT.
 */
export interface WriterStart {
  readonly opening: DeferrableStatement;
}

const BEGIN: SqlStatement = { name: BEGIN_NAME, sql: 'BEGIN', parameters: [] };
const COMMIT: SqlStatement = { name: 'aliquot_commit', sql: 'COMMIT', parameters: [] };

/** Without parameters a text may contain several statements, which cannot be prepared. */
const isSimpleQuery = ({ name, parameters }: SqlStatement): boolean =>
  name === undefined && parameters.length === 0;

const preparedNameOf = (text: SqlStatement): string | undefined =>
  text.name ?? (text.parameters.length === 0 ? undefined : statementNameOf(text.sql));

/** For a prepared statement, which has a name. */
const toLeadingStatement = (text: SqlStatement): LeadingStatement => ({
  name: preparedNameOf(text) ?? '',
  values: text.parameters,
  failed: text.failed,
});

class PgConnection implements PipelinedConnection {
  readonly client: pg.PoolClient;
  #waiting: DeferrableStatement[] = [];
  #sent: Promise<unknown>[] = [];
  #singly: ReaderStart | undefined;
  #together: WriterStart | undefined;

  constructor(client: pg.PoolClient, start?: ReaderStart | WriterStart) {
    this.client = client;
    if (start && 'opening' in start) this.#together = start;
    else this.#singly = start;
  }

  /** Whether a transaction is open that must be ended. */
  get isInTransaction(): boolean {
    return this.#singly === undefined && this.#together === undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.execute(query);
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  /** The same for a compiled statement. */
  execute(text: Pick<SqlStatement, 'sql' | 'parameters'>): Promise<pg.QueryResult> {
    batchWrites(this.client);
    // Deferred statements are sent separately, so that their failure is not attributed to this statement.
    if (this.#waiting.length > 0) this.flush();
    const opening = this.#company(this.#begun(this.#texts()));
    if (isSimpleQuery(text)) this.#postAll(opening);
    return this.#send(text, isSimpleQuery(text) ? [] : opening);
  }

  /** Sends the statement with the next one, or with the end of the transaction; never out of order. */
  defer(statement: DeferrableStatement): void {
    this.#waiting.push(statement);
  }

  /** Sends the deferred statements without waiting for their results. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    batchWrites(this.client);
    this.#postAll(this.#company(this.#begun(this.#texts())));
  }

  /** Commits, together with the deferred statements. Throws if the transaction is not committed. */
  async commit(): Promise<void> {
    if (this.#together && this.#waiting.length === 0) return;
    const texts = this.#texts();
    const last = texts.at(-1);
    if (this.#together && last && texts.every((text) => this.#isPrepared(text))) {
      await this.#send(last, texts.slice(0, -1));
      return;
    }
    batchWrites(this.client);
    const { command } = await this.#send(COMMIT, this.#company(this.#begun(texts)));
    const failure = this.#sent.length === 0 ? undefined : await this.deferredFailure();
    // COMMIT of a failed transaction returns the command ROLLBACK, and no error.
    if (failure !== undefined || command !== 'COMMIT')
      throw failure ?? new Error('The transaction was rolled back instead of committed');
  }

  /**
   * What must be sent before anything else: the opening statement, until the transaction has begun, and the deferred
   * statements.
   */
  #texts(): SqlStatement[] {
    const waiting = this.#together ? [this.#together.opening, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    return waiting.length === 0 ? [] : compileDeferred(waiting);
  }

  /** The same after BEGIN, if that was not sent yet. */
  #begun(texts: readonly SqlStatement[]): readonly SqlStatement[] {
    if (!this.#together) return texts;
    this.#together = undefined;
    return [BEGIN, ...texts];
  }

  /** Returns the trailing statements that can go out with the next statement; sends the others. */
  #company(texts: readonly SqlStatement[]): SqlStatement[] {
    let together: SqlStatement[] = [];
    for (const text of texts) {
      together.push(text);
      if (this.#isPrepared(text)) continue;
      this.#postAll(together);
      together = [];
    }
    return together;
  }

  /** A text that may contain several statements is sent alone. */
  #postAll(texts: readonly SqlStatement[]): void {
    const last = texts.at(-1);
    if (!last) return;
    const before = texts.slice(0, -1);
    if (isSimpleQuery(last)) this.#postAll(before);
    this.#post(last, isSimpleQuery(last) ? [] : before);
  }

  #isPrepared(text: SqlStatement): boolean {
    const name = preparedNameOf(text);
    return name !== undefined && isPrepared(this.client, name);
  }

  #post(text: SqlStatement, together: readonly SqlStatement[]): void {
    const sent = this.#send(text, together);
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  /** The first failure of a deferred statement, if any. */
  async deferredFailure(): Promise<unknown> {
    const outcomes = await Promise.allSettled(this.#sent);
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  #send(query: SqlStatement, together: readonly SqlStatement[]): Promise<pg.QueryResult> {
    const name = preparedNameOf(query);
    if (isSimpleQuery(query) && this.#singly) this.#begin(this.#singly);
    const { sql: text, parameters: values, failed } = query;
    const statement = name === undefined ? { text, values, failed } : { name, text, values, failed };
    const prefaces = this.#singly ? [this.#singly.preface] : together.map(toLeadingStatement);
    return sendStatement(this.client, statement, prefaces);
  }

  #begin({ begin }: ReaderStart): void {
    this.#singly = undefined;
    // If it fails, the following statement fails too.
    this.client.query(begin()).catch(() => {});
  }

  // eslint-disable-next-line require-yield
  async *streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: lists are read in pages');
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

/** Kysely over a `pg` pool. Every statement is prepared once per connection. */
export function openKysely(pool: pg.Pool): Kysely<Database> {
  const dialect: Dialect = {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new PgDriver(pool),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  };
  return new Kysely<Database>({ dialect });
}

/** One connection bound to one transaction: its Kysely and its deferred statements. */
export interface BoundConnection extends ConnectionScope {
  readonly flush: () => void;
  /** Commits, with the deferred statements. Throws if the transaction is not committed. */
  readonly commit: () => Promise<void>;
  readonly deferredFailure: () => Promise<unknown>;
  /** Whether a transaction must be ended. */
  readonly isInTransaction: () => boolean;
}

/** Binds a Kysely to one connection, which the caller opens and closes. */
export function bindKysely(
  kysely: Kysely<Database>,
  client: pg.PoolClient,
  start?: ReaderStart | WriterStart,
): BoundConnection {
  const connection = new PgConnection(client, start);
  return {
    ...bindConnection(kysely, new TransactionConnection(connection)),
    flush: () => connection.flush(),
    commit: () => connection.commit(),
    deferredFailure: () => connection.deferredFailure(),
    isInTransaction: () => connection.isInTransaction,
  };
}
