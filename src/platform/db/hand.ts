import type { CompiledQuery, DatabaseConnection, Kysely, QueryResult } from 'kysely';
import type pg from 'pg';
import { BoundKysely } from './bound-kysely.ts';
import type { Database } from './database.ts';
import type { Deferrable, Text } from './deferred.ts';

/** A connection as far as a work uses it. */
export interface Connection extends DatabaseConnection {
  execute(text: Pick<Text, 'sql' | 'parameters'>): Promise<pg.QueryResult>;
  defer(statement: Deferrable): void;
}

/**
 * What a work holds of its connection, until it is over. When one of several things that a work does side by side fails,
 * the work is undone while the others still run: what they send later would be part of whatever the connection does next,
 * the work of another team as well. So it is refused here.
 */
export class Hand implements DatabaseConnection {
  readonly #connection: Connection;
  #isOver = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** From now on nothing can be sent by this hand. */
  end(): void {
    this.#isOver = true;
  }

  /** A hand on the same connection that ends by itself, for a part that can be undone by itself. */
  another(): Hand {
    return new Hand(this.#held());
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#held().executeQuery(query);
  }

  async execute(text: Pick<Text, 'sql' | 'parameters'>): Promise<pg.QueryResult> {
    return this.#held().execute(text);
  }

  defer(statement: Deferrable): void {
    this.#held().defer(statement);
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Streaming is not used: lists are read in pages');
  }

  #held(): Connection {
    if (this.#isOver) throw new Error('The work is over: it can ask the database for nothing more');
    return this.#connection;
  }
}

/** A Kysely for a while. */
export interface Part {
  readonly tx: Kysely<Database>;
  /** Nothing can be sent by this Kysely any more: neither executed nor deferred. */
  readonly end: () => void;
}

/** Another Kysely for the same transaction, which ends by itself, and before the transaction does. */
export const partOf = (tx: Kysely<Database>): Part => inHand(tx, handOf(tx).another());

/** The same Kysely, which sends by this hand. */
export function inHand(kysely: Kysely<Database>, hand: Hand): Part {
  const executor = kysely
    .getExecutor()
    .withConnectionProvider({ provideConnection: (consumer) => consumer(hand) });
  return { tx: new BoundKysely(executor, hand), end: () => hand.end() };
}

function handOf(tx: Kysely<Database>): Hand {
  const hand: unknown = tx instanceof BoundKysely ? tx.boundTo : undefined;
  if (!(hand instanceof Hand)) throw new Error('This can be done in a transaction only');
  return hand;
}

/** Lets a statement wait for the next one of its transaction: nobody needs its answer, and a failure undoes all. */
export const deferOn = (tx: Kysely<Database>, statement: Deferrable): void => handOf(tx).defer(statement);

/** Runs a text on the connection of a transaction, past Kysely. */
export const executeOn = <O>(
  tx: Kysely<Database>,
  text: { sql: string; parameters: readonly unknown[] },
): Promise<{ rows: O[] }> => handOf(tx).execute(text);
