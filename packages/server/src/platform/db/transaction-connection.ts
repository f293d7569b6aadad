import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from 'kysely';
import type pg from 'pg';
import { BoundKysely } from './bound-kysely.ts';
import type { Database } from './database.ts';
import type { DeferrableStatement, SqlStatement } from './deferred.ts';

/** The part of a connection that a work uses. */
export interface PipelinedConnection extends DatabaseConnection {
  execute(text: Pick<SqlStatement, 'sql' | 'parameters'>): Promise<pg.QueryResult>;
  defer(statement: DeferrableStatement): void;
}

/**
 * A work's handle on its connection, valid until the work ends. When one of several concurrent operations of a work
 * fails, the work is rolled back while the others still run. What they send later would become part of the connection's
 * next transaction, perhaps of another team. Therefore this handle refuses statements after its end.
 */
export class TransactionConnection implements DatabaseConnection {
  readonly #connection: PipelinedConnection;
  #isOver = false;

  constructor(connection: PipelinedConnection) {
    this.#connection = connection;
  }

  /** From now on this handle refuses statements. */
  end(): void {
    this.#isOver = true;
  }

  /** Another handle on the same connection with its own end, for a part that can be rolled back separately. */
  fork(): TransactionConnection {
    return new TransactionConnection(this.#held());
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

  #held(): PipelinedConnection {
    if (this.#isOver) throw new Error('The work has ended: it can send no more statements');
    return this.#connection;
  }
}

/** A Kysely with a limited lifetime. */
export interface ConnectionScope {
  readonly tx: Kysely<Database>;
  /** From then on this Kysely can neither execute nor defer statements. */
  readonly end: () => void;
}

/** Another Kysely for the same transaction, which ends separately and before the transaction. */
export const forkScope = (tx: Kysely<Database>): ConnectionScope =>
  bindConnection(tx, connectionOf(tx).fork());

/** The same Kysely, bound to this connection. */
export function bindConnection(kysely: Kysely<Database>, hand: TransactionConnection): ConnectionScope {
  const executor = kysely
    .getExecutor()
    .withConnectionProvider({ provideConnection: (consumer) => consumer(hand) });
  return { tx: new BoundKysely(executor, hand), end: () => hand.end() };
}

function connectionOf(tx: Kysely<Database>): TransactionConnection {
  const hand: unknown = tx instanceof BoundKysely ? tx.transactionConnection : undefined;
  if (!(hand instanceof TransactionConnection)) throw new Error('This is possible only in a transaction');
  return hand;
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
