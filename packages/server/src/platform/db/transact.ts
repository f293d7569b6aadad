import { sql } from 'kysely';
import type pg from 'pg';
import { DomainError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { Tx } from './database.ts';
import { deferrableCall, type DeferrableStatement } from './deferred.ts';
import type { DatabaseDriver, ReaderOpening } from './driver.ts';
import { openScope } from './transaction-connection.ts';

/** The database of this process. Only this file and the migrations open transactions on it. */
export interface Db {
  readonly pool: pg.Pool;
  readonly driver: DatabaseDriver;
  readonly log: Log;
}

export interface TransactionStart {
  /** Statements that set the role and the tenant, sent together with BEGIN in one round trip. */
  readonly statements: () => string;
  readonly readOnly?: boolean;
  /** For a reader that needs no row: equivalent to the statements, sent before each of its queries. */
  readonly preface?: ReaderOpening;
  /** For a writer that needs no row: equivalent to the statements, inside a transaction. */
  readonly call?: DeferrableStatement;
}

/** The input of a transaction's function. */
interface OpenTransaction {
  readonly tx: Tx;
  /** The row that the last opening statement returned. It arrives together with the first query. */
  readonly row: Promise<Record<string, unknown> | undefined>;
}

const TRIES = 4;

/**
 * Runs one transaction. `opening` and `run` are called again after a deadlock, a serialization failure, a plan that a
 * migration outdated, or a `RetryTransactionError`; the earlier try is rolled back completely.
 */
export async function transact<T>(
  db: Db,
  opening: () => TransactionStart,
  run: (opened: OpenTransaction) => Promise<T>,
): Promise<T> {
  let outdated = 0;
  for (let tried = 1; ; tried += 1) {
    try {
      return await runAttempt(db, opening(), run);
    } catch (error) {
      // After a migration each connection of the pool can have one, and is replaced: the next try may get another such.
      if (errorCode(error) === OUTDATED_PLAN && (outdated += 1) <= db.pool.options.max) {
        tried -= 1;
        continue;
      }
      if (isOutOfResources(error))
        db.log.error({ code: errorCode(error) }, 'the database is out of disk, memory or connections');
      if (tried === TRIES || !isRetryable(error)) throw toDomainError(error);
      db.log.debug({ code: errorCode(error) }, 'transaction retried');
    }
  }
}

/** Thrown inside a transaction that began on a wrong assumption: it is rolled back and retried. */
export class RetryTransactionError extends Error {}

async function runAttempt<T>(
  db: Db,
  opening: TransactionStart,
  run: (opened: OpenTransaction) => Promise<T>,
): Promise<T> {
  const { preface, call } = opening;
  const client = await db.pool.connect();
  const start = preface ? { preface, begin: () => beginOf(opening) } : call && { opening: call };
  const connection = db.driver.connect(client, start);
  const scope = openScope(connection, db.driver.createKysely);
  const row = start ? noRow : sendBegin(db, client, beginOf(opening));
  let broken: Error | undefined;
  try {
    const value = await run({ tx: scope.tx, row });
    scope.end();
    if (opening.readOnly !== true) await connection.commit();
    else {
      connection.flush();
      if (connection.isInTransaction) release(db, client);
    }
    return value;
  } catch (error) {
    // First of all: concurrent operations of the failed work must not send statements after its end.
    scope.end();
    const cause =
      errorCode(error) === ABORTED ? await firstFailure([row, connection.deferredFailure()], error) : error;
    broken = isConnectionError(cause) || errorCode(cause) === OUTDATED_PLAN ? asError(cause) : undefined;
    if (!broken && connection.isInTransaction)
      await client.query('ROLLBACK').catch((failure: unknown) => (broken = asError(failure)));
    throw cause;
  } finally {
    if (!released.has(client)) client.release(broken ?? false);
    released.delete(client);
  }
}

const beginOf = ({ readOnly, statements }: TransactionStart): string =>
  `${readOnly === true ? 'BEGIN READ ONLY' : 'BEGIN'};${statements()}`;

/**
 * Sends BEGIN and the opening statements without waiting: the first query follows directly. If one fails, the
 * transaction is aborted and nothing that follows has an effect.
 */
function sendBegin({ driver }: Db, client: pg.PoolClient, begin: string): OpenTransaction['row'] {
  driver.batchWrites(client);
  const begun: Promise<unknown> = client.query(begin);
  const row = begun.then(lastRow);
  row.catch(() => {});
  return row;
}

const noRow = Promise.resolve(undefined);

/** After a failure all statements fail with "aborted"; this finds the original error. */
async function firstFailure(earlier: readonly Promise<unknown>[], error: unknown): Promise<unknown> {
  const [opening, deferred] = await Promise.allSettled(earlier);
  if (opening?.status === 'rejected') return opening.reason;
  return (deferred?.status === 'fulfilled' && deferred.value) || error;
}

const released = new WeakSet<pg.PoolClient>();

/**
 * A reader does not wait for its COMMIT, nor does the next user of the connection: it is sent together with the next
 * opening, if one follows at once. If the connection breaks meanwhile, the next transaction fails, as it would anyway.
 */
function release({ driver }: Db, client: pg.PoolClient): void {
  released.add(client);
  driver.batchWrites(client, setImmediate);
  client.query('COMMIT').catch(() => {});
  client.release();
}

/** A query of several statements returns a list of results, which the types of pg lack. */
function lastRow(results: unknown): Record<string, unknown> | undefined {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || !('rows' in last) || !Array.isArray(last.rows))
    return undefined;
  return last.rows[0];
}

/** Runs a statement without parameters. */
export const execute = async (tx: Tx, statement: string): Promise<void> =>
  void (await sql.raw(statement).execute(tx));

const AS_SYSTEM: TransactionStart = {
  statements: () => 'SET LOCAL ROLE aliquot_system',
  call: deferrableCall("set_config('role', ?, true)", 'aliquot_system'),
};

/** Runs work of the service itself, across tenants: queues, keys, organizations. Row-level security still applies. */
export const asSystem = <T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> =>
  transact(
    db,
    () => AS_SYSTEM,
    ({ tx }) => run(tx),
  );

const OUTDATED_PLAN = '0A000';
/** The error of every statement after a failed one. */
const ABORTED = '25P02';
const RETRYABLE = new Set([OUTDATED_PLAN, '40001', '40P01']);
/** The server is out of disk, memory or connections. */
const SHORT_CODES = /^53/;
/** 25P03: the server ended a session that idled in a transaction. */
const CONNECTION_CODES = /^(08|25P03|57P0|ECONN|EHOST|ENET|EPIPE|EMFILE|ENFILE|ENOENT|ENOTFOUND|ETIMEDOUT)/;

const UNIQUE_VIOLATION = '23505';

/** Whether a unique constraint refused a statement. */
export const isUniqueViolation = (error: unknown): boolean => errorCode(error) === UNIQUE_VIOLATION;

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isRetryable = (error: unknown) =>
  error instanceof RetryTransactionError || RETRYABLE.has(errorCode(error));

function isConnectionError(error: unknown): boolean {
  if (CONNECTION_CODES.test(errorCode(error))) return true;
  return (
    error instanceof Error && /Connection terminated|not queryable|timeout exceeded when/.test(error.message)
  );
}

const isOutOfResources = (error: unknown) => SHORT_CODES.test(errorCode(error));

/** Whether a retry may succeed later: the database is unreachable or out of resources. */
export const isUnavailable = (error: unknown): boolean => isOutOfResources(error) || isConnectionError(error);

/** An unreachable or full database is a 503 with Retry-After, not an internal error. */
function toDomainError(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (isOutOfResources(error)) {
    return new DomainError('unavailable', 'The database is out of resources at the moment; try again', 5);
  }
  if (!isConnectionError(error)) return error;
  return new DomainError('unavailable', 'The database cannot be reached at the moment; try again', 1);
}

const asError = (thing: unknown): Error => (thing instanceof Error ? thing : new Error(String(thing)));
