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
import { textsOf, type Deferrable, type Text } from './deferred.ts';
import { Hand, inHand, type Connection, type Part } from './hand.ts';
import { gather } from './socket.ts';
import { BEGIN_NAME, isPrepared, sendStatement, type Preface } from './statement.ts';

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
  readonly begin: () => string;
}

/**
 * How a writer is sent: the statement that says whose rows it may see goes out with the first one that wants an answer,
 * behind BEGIN. Where none does, all that was deferred is sent at the end and answered at once, which is a transaction
 * without BEGIN and COMMIT.
 */
export interface Together {
  readonly opening: Deferrable;
}

const BEGIN: Text = { name: BEGIN_NAME, sql: 'BEGIN', parameters: [] };
const COMMIT: Text = { name: 'aliquot_commit', sql: 'COMMIT', parameters: [] };

/** Without parameters a text may hold several statements, which cannot be prepared. */
const isText = ({ name, parameters }: Text): boolean => name === undefined && parameters.length === 0;

const preparedNameOf = (text: Text): string | undefined =>
  text.name ?? (text.parameters.length === 0 ? undefined : nameOf(text.sql));

/** Of a statement that is prepared, which has a name. */
const prefaceOf = (text: Text): Preface => ({
  name: preparedNameOf(text) ?? '',
  values: text.parameters,
  failed: text.failed,
});

class PgConnection implements Connection {
  readonly client: pg.PoolClient;
  #waiting: Deferrable[] = [];
  #sent: Promise<unknown>[] = [];
  #singly: Singly | undefined;
  #together: Together | undefined;

  constructor(client: pg.PoolClient, start?: Singly | Together) {
    this.client = client;
    if (start && 'opening' in start) this.#together = start;
    else this.#singly = start;
  }

  /** Whether a transaction is open that wants its end. */
  get isInTransaction(): boolean {
    return this.#singly === undefined && this.#together === undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.execute(query);
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  /** The same for a text that is made already. */
  execute(text: Pick<Text, 'sql' | 'parameters'>): Promise<pg.QueryResult> {
    gather(this.client);
    // What was deferred is answered apart, so that its failure is not taken for one of this statement.
    if (this.#waiting.length > 0) this.flush();
    const opening = this.#company(this.#begun(this.#texts()));
    if (isText(text)) this.#postAll(opening);
    return this.#send(text, isText(text) ? [] : opening);
  }

  /** Sends the statement with the next one, or with the end of the transaction; never out of order. */
  defer(statement: Deferrable): void {
    this.#waiting.push(statement);
  }

  /** Sends what was deferred, without waiting for its answers. */
  flush(): void {
    if (this.#waiting.length === 0) return;
    gather(this.client);
    this.#postAll(this.#company(this.#begun(this.#texts())));
  }

  /** Ends the transaction, together with what was deferred; fails if it is not committed. */
  async commit(): Promise<void> {
    if (this.#together && this.#waiting.length === 0) return;
    const texts = this.#texts();
    const last = texts.at(-1);
    if (this.#together && last && texts.every((text) => this.#isPrepared(text))) {
      await this.#send(last, texts.slice(0, -1));
      return;
    }
    gather(this.client);
    const { command } = await this.#send(COMMIT, this.#company(this.#begun(texts)));
    const failure = this.#sent.length === 0 ? undefined : await this.deferredFailure();
    // COMMIT of a transaction that failed inside answers ROLLBACK, and no error.
    if (failure !== undefined || command !== 'COMMIT')
      throw failure ?? new Error('The transaction was rolled back at its end');
  }

  /** What has to be sent before anything else: the opening, as long as the transaction is not begun, and what was deferred. */
  #texts(): Text[] {
    const waiting = this.#together ? [this.#together.opening, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    return waiting.length === 0 ? [] : textsOf(waiting);
  }

  /** The same behind BEGIN, if it was not sent yet. */
  #begun(texts: readonly Text[]): readonly Text[] {
    if (!this.#together) return texts;
    this.#together = undefined;
    return [BEGIN, ...texts];
  }

  /** Of these the last ones, which go out with the statement behind them; the others are sent. */
  #company(texts: readonly Text[]): Text[] {
    let together: Text[] = [];
    for (const text of texts) {
      together.push(text);
      if (this.#isPrepared(text)) continue;
      this.#postAll(together);
      together = [];
    }
    return together;
  }

  /** A text that may hold several statements goes alone. */
  #postAll(texts: readonly Text[]): void {
    const last = texts.at(-1);
    if (!last) return;
    const before = texts.slice(0, -1);
    if (isText(last)) this.#postAll(before);
    this.#post(last, isText(last) ? [] : before);
  }

  #isPrepared(text: Text): boolean {
    const name = preparedNameOf(text);
    return name !== undefined && isPrepared(this.client, name);
  }

  #post(text: Text, together: readonly Text[]): void {
    const sent = this.#send(text, together);
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  /** The first failure of what was deferred, if there was one. */
  async deferredFailure(): Promise<unknown> {
    const outcomes = await Promise.allSettled(this.#sent);
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  #send(query: Text, together: readonly Text[]): Promise<pg.QueryResult> {
    const name = preparedNameOf(query);
    if (isText(query) && this.#singly) this.#begin(this.#singly);
    const { sql: text, parameters: values, failed } = query;
    const statement = name === undefined ? { text, values, failed } : { name, text, values, failed };
    const prefaces = this.#singly ? [this.#singly.preface] : together.map(prefaceOf);
    return sendStatement(this.client, statement, prefaces);
  }

  #begin({ begin }: Singly): void {
    this.#singly = undefined;
    // Should it fail, what follows fails too.
    this.client.query(begin()).catch(() => {});
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
export interface Bound extends Part {
  readonly flush: () => void;
  /** Ends the transaction; what was deferred goes with it. Fails if it is not committed. */
  readonly commit: () => Promise<void>;
  readonly deferredFailure: () => Promise<unknown>;
  /** Whether there is a transaction to be ended. */
  readonly isInTransaction: () => boolean;
}

/** The same Kysely, bound to one connection that somebody else opened and will close. */
export function bindKysely(
  kysely: Kysely<Database>,
  client: pg.PoolClient,
  start?: Singly | Together,
): Bound {
  const connection = new PgConnection(client, start);
  return {
    ...inHand(kysely, new Hand(connection)),
    flush: () => connection.flush(),
    commit: () => connection.commit(),
    deferredFailure: () => connection.deferredFailure(),
    isInTransaction: () => connection.isInTransaction,
  };
}
