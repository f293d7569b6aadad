import { sql, type Kysely } from 'kysely';
import type pg from 'pg';
import { DomainError } from '../errors.ts';
import type { Log } from '../log.ts';
import { bindKysely } from './connection.ts';
import type { Database, Tx } from './database.ts';
import { callOf, type Deferrable } from './deferred.ts';
import { gather } from './socket.ts';
import type { Preface } from './statement.ts';

/** The database of this process. Nothing but this file and the migrations opens a transaction on it. */
export interface Db {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<Database>;
  readonly log: Log;
}

export interface Opening {
  /** Statements that set the role and the tenant; sent together with BEGIN, in one round trip. */
  readonly statements: () => string;
  readonly readOnly?: boolean;
  /** For a reader that does not ask for a row: says the same as the statements, before each of its queries. */
  readonly preface?: Preface;
  /** For a writer that does not ask for a row: says the same as the statements, inside a transaction. */
  readonly call?: Deferrable;
}

/** What a transaction's function is given. */
export interface Opened {
  readonly tx: Tx;
  /** The row that the last statement of the opening answered; it is on its way together with the first query. */
  readonly row: Promise<Record<string, unknown> | undefined>;
}

const TRIES = 4;

/**
 * One transaction. `opening` and `run` may be called again, when a try met a deadlock, a serialization failure, a statement whose
 * plan a migration had outdated, or asked for it by `TryAgain`; nothing of the earlier try is left then.
 */
export async function transact<T>(
  db: Db,
  opening: () => Opening,
  run: (opened: Opened) => Promise<T>,
): Promise<T> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await attempt(db, opening(), run);
    } catch (error) {
      if (isShort(error))
        db.log.error({ code: errorCode(error) }, 'the database is short of room or connections');
      if (tried === TRIES || !isRetryable(error)) throw translated(error);
      db.log.debug({ code: errorCode(error) }, 'transaction tried again');
    }
  }
}

/** Thrown inside a transaction that was begun on a wrong assumption: it is undone and begun once more. */
export class TryAgain extends Error {}

async function attempt<T>(db: Db, opening: Opening, run: (opened: Opened) => Promise<T>): Promise<T> {
  const { preface, call } = opening;
  const client = await db.pool.connect();
  const start = preface ? { preface, begin: () => beginOf(opening) } : call && { opening: call };
  const bound = bindKysely(db.kysely, client, start);
  const row = start ? noRow : opened(client, beginOf(opening));
  let broken: Error | undefined;
  try {
    const value = await run({ tx: bound.tx, row });
    bound.end();
    if (opening.readOnly !== true) await bound.commit();
    else {
      bound.flush();
      if (bound.isInTransaction()) release(client);
    }
    return value;
  } catch (error) {
    // First of all: what runs beside what failed goes on, and its statements must not come behind the end.
    bound.end();
    const cause =
      errorCode(error) === ABORTED ? await firstFailure([row, bound.deferredFailure()], error) : error;
    broken = isConnectionError(cause) || errorCode(cause) === OUTDATED_PLAN ? asError(cause) : undefined;
    if (!broken && bound.isInTransaction())
      await client.query('ROLLBACK').catch((failure: unknown) => (broken = asError(failure)));
    throw cause;
  } finally {
    if (!released.has(client)) client.release(broken ?? false);
    released.delete(client);
  }
}

const beginOf = ({ readOnly, statements }: Opening): string =>
  `${readOnly === true ? 'BEGIN READ ONLY' : 'BEGIN'};${statements()}`;

/**
 * Nobody waits for the opening: the first query goes out behind it. Should a part of it fail, the transaction is there
 * and aborted, and nothing that follows is done.
 */
function opened(client: pg.PoolClient, begin: string): Opened['row'] {
  gather(client);
  const begun: Promise<unknown> = client.query(begin);
  const row = begun.then(lastRow);
  row.catch(() => {});
  return row;
}

const noRow = Promise.resolve(undefined);

/** After a failure every statement says no more than that there was one; this is what it was. */
async function firstFailure(earlier: readonly Promise<unknown>[], error: unknown): Promise<unknown> {
  const [opening, deferred] = await Promise.allSettled(earlier);
  if (opening?.status === 'rejected') return opening.reason;
  return (deferred?.status === 'fulfilled' && deferred.value) || error;
}

const released = new WeakSet<pg.PoolClient>();

/**
 * A reader does not wait for its COMMIT, nor does the next one on this connection: it leaves together with that one's
 * opening, when one comes at once. A connection that broke meanwhile fails the next transaction as it would have anyway.
 */
function release(client: pg.PoolClient): void {
  released.add(client);
  gather(client, setImmediate);
  client.query('COMMIT').catch(() => {});
  client.release();
}

/** A query of several statements answers with a list of results, which the types of pg do not tell. */
function lastRow(results: unknown): Record<string, unknown> | undefined {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || !('rows' in last) || !Array.isArray(last.rows))
    return undefined;
  return last.rows[0];
}

/** Runs a statement that has no parameters. */
export const execute = async (tx: Tx, statement: string): Promise<void> =>
  void (await sql.raw(statement).execute(tx));

/** The first row of a statement that has no parameters. */
export const readRow = async (tx: Tx, statement: string): Promise<Record<string, unknown> | undefined> =>
  (await sql.raw<Record<string, unknown>>(statement).execute(tx)).rows[0];

const AS_SYSTEM: Opening = {
  statements: () => 'SET LOCAL ROLE aliquot_system',
  call: callOf("set_config('role', ?, true)", 'aliquot_system'),
};

/** Work of the service itself, across tenants: queues, keys, organizations. Row-level security still limits it. */
export const asSystem = <T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> =>
  transact(
    db,
    () => AS_SYSTEM,
    ({ tx }) => run(tx),
  );

const OUTDATED_PLAN = '0A000';
/** What every statement answers after one has failed. */
const ABORTED = '25P02';
const RETRYABLE = new Set([OUTDATED_PLAN, '40001', '40P01']);
/** Disk, memory or connections of the server are used up. */
const SHORT_CODES = /^53/;
/** 25P03: the server has put out a session that rested in a transaction. */
const CONNECTION_CODES = /^(08|25P03|57P0|ECONN|EHOST|ENET|EPIPE|EMFILE|ENFILE|ENOENT|ENOTFOUND|ETIMEDOUT)/;

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isRetryable = (error: unknown) => error instanceof TryAgain || RETRYABLE.has(errorCode(error));

function isConnectionError(error: unknown): boolean {
  if (CONNECTION_CODES.test(errorCode(error))) return true;
  return (
    error instanceof Error && /Connection terminated|not queryable|timeout exceeded when/.test(error.message)
  );
}

const isShort = (error: unknown) => SHORT_CODES.test(errorCode(error));

/** What fails for it may succeed later: the database is away, or has no room. */
export const isAway = (error: unknown): boolean => isShort(error) || isConnectionError(error);

/** A database that is away or full is a 503 that asks to come back, not a bug of ours. */
function translated(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (isShort(error)) {
    return new DomainError('unavailable', 'The database has no room for this at the moment; try again', 5);
  }
  if (!isConnectionError(error)) return error;
  return new DomainError('unavailable', 'The database cannot be reached at the moment; try again', 1);
}

const asError = (thing: unknown): Error => (thing instanceof Error ? thing : new Error(String(thing)));
