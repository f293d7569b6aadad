import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from 'kysely';
import type pg from 'pg';
import type { Database } from './database.ts';
import type { DeferrableStatement, SqlStatement } from './deferred.ts';

/** The part of a connection that a work uses. */
export interface DriverConnection extends Pick<DatabaseConnection, 'executeQuery'> {
  execute(text: Pick<SqlStatement, 'sql' | 'parameters'>): Promise<pg.QueryResult>;
  /** Sends the statement with the next one, or with the end of the transaction; never out of order. */
  defer(statement: DeferrableStatement): void;
}

/** Creates a Kysely whose queries run on this connection. */
export type KyselyFactory = (connection: DatabaseConnection) => Kysely<Database>;

/**
 * A work's handle on its connection, valid until the work ends. When one of several concurrent operations of a work
 * fails, the work is rolled back while the others still run. What they send later would become part of the connection's
 * next transaction, perhaps of another team. Therefore this handle refuses statements after its end.
 */
class TransactionConnection implements DatabaseConnection {
  readonly #connection: DriverConnection;
  readonly #createKysely: KyselyFactory;
  #isOver = false;

  constructor(connection: DriverConnection, createKysely: KyselyFactory) {
    this.#connection = connection;
    this.#createKysely = createKysely;
  }

  /** Another handle on the same connection with its own end, for a part that can be rolled back separately. */
  fork(): ConnectionScope {
    return openScope(this.#held(), this.#createKysely);
  }

  /** From now on this handle refuses statements. */
  end(): void {
    this.#isOver = true;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#held().executeQuery(query);
  }

  async execute(text: Pick<SqlStatement, 'sql' | 'parameters'>): Promise<pg.QueryResult> {
    return this.#held().execute(text);
  }

  defer(statement: DeferrableStatement): void {
    this.#held().defer(statement);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not supported: lists are read in pages');
  }

  #held(): DriverConnection {
    if (this.#isOver) throw new Error('The work has ended: it can send no more statements');
    return this.#connection;
  }
}

/** A Kysely with a limited lifetime. */
interface ConnectionScope {
  readonly tx: Kysely<Database>;
  /** From then on this Kysely can neither execute nor defer statements. */
  readonly end: () => void;
}

/** The connection of each open scope, by its Kysely. */
const connections = new WeakMap<Kysely<Database>, TransactionConnection>();

/** A Kysely for the transaction of this connection. */
export function openScope(connection: DriverConnection, createKysely: KyselyFactory): ConnectionScope {
  const held = new TransactionConnection(connection, createKysely);
  const tx = createKysely(held);
  connections.set(tx, held);
  return { tx, end: () => held.end() };
}

/** Another Kysely for the same transaction, which ends separately and before the transaction. */
export const forkScope = (tx: Kysely<Database>): ConnectionScope => connectionOf(tx).fork();

function connectionOf(tx: Kysely<Database>): TransactionConnection {
  const connection = connections.get(tx);
  if (!connection) throw new Error('This is possible only in a transaction');
  return connection;
}

/**
 * Defers a statement until the next one of its transaction: its result is not needed, and a failure rolls everything
 * back.
 */
export const deferStatement = (tx: Kysely<Database>, statement: DeferrableStatement): void =>
  connectionOf(tx).defer(statement);

/** Runs a compiled statement on the connection of a transaction, bypassing Kysely. */
export const executeStatement = <O>(
  tx: Kysely<Database>,
  text: { sql: string; parameters: readonly unknown[] },
): Promise<{ rows: O[] }> => connectionOf(tx).execute(text);
