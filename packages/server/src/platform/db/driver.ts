import type pg from 'pg';
import type { DeferrableStatement } from './deferred.ts';
import type { DriverConnection, KyselyFactory } from './transaction-connection.ts';

/**
 * What the platform needs of a database driver. There are two, chosen by DATABASE_DRIVER: `fast/` sends a transaction in
 * fewer messages and round trips, by interfaces that `pg` and Kysely keep private; `plain/` does the same with their
 * public interfaces only.
 *
 * Both guarantee:
 *
 * - Statements run in the order in which they were executed or deferred, each prepared once per connection.
 * - A writer's statements are one transaction, which begins with its first statement and sees only its tenant.
 * - Each statement of a reader is a transaction of its own, as it has a snapshot of its own at READ COMMITTED anyway: a
 *   failed one does not affect the others. From a text without parameters on (a SET), they are one transaction.
 * - A failed statement fails the transaction, even if a value could not be encoded and nothing was sent.
 */
export interface DatabaseDriver {
  /** Prepares a new connection, before it is handed out. */
  readonly prepareConnection: (client: pg.ClientBase) => Promise<void>;
  /** Takes over a connection for one transaction. Without `start` the caller has begun the transaction. */
  readonly connect: (client: pg.PoolClient, start?: ReaderStart | WriterStart) => TransactionDriverConnection;
  /** A Kysely whose queries run on this connection. */
  readonly createKysely: KyselyFactory;
  /** Collects what is sent in this turn of the event loop, or until `until` calls back. May do nothing. */
  readonly batchWrites: (client: pg.PoolClient, until?: (run: () => void) => unknown) => void;
}

/** The default first. */
export const DRIVER_NAMES = ['fast', 'plain'] as const;
export type DriverName = (typeof DRIVER_NAMES)[number];

/** Sets the tenant of a reader's statement, for that statement only: a prepared statement of each connection. */
export interface ReaderOpening {
  readonly name: string;
  readonly values: readonly unknown[];
}

/** How a reader begins: equivalent ways to set its tenant and to forbid writes. */
export interface ReaderStart {
  readonly preface: ReaderOpening;
  /** BEGIN and the settings, as a text of several statements. */
  readonly begin: () => string;
}

/** How a writer begins: after BEGIN, this statement sets its tenant. */
export interface WriterStart {
  readonly opening: DeferrableStatement;
}

/** A connection during one transaction. */
export interface TransactionDriverConnection extends DriverConnection {
  /** Sends the deferred statements without waiting for their results. */
  flush(): void;
  /** Commits, with the deferred statements. Throws if the transaction is not committed. */
  commit(): Promise<void>;
  /** The first failure of a deferred statement, if any. */
  deferredFailure(): Promise<unknown>;
  /** Whether a transaction is open that must be ended. */
  readonly isInTransaction: boolean;
}

/** The leading statement of a query that is sent alone: for that query it sets the tenant and refuses writes. */
export const READER_STATEMENT = 'aliquot_reader';
