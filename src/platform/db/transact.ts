import { sql, type Kysely } from 'kysely';
import type pg from 'pg';
import { DomainError } from '../errors.ts';
import type { Log } from '../log.ts';
import { bindKysely } from './connection.ts';
import type { Database, Tx } from './database.ts';

/** The database of this process. Nothing but this file and the migrations opens a transaction on it. */
export interface Db {
  readonly pool: pg.Pool;
  readonly kysely: Kysely<Database>;
  readonly log: Log;
}

/** The row that an opening may answer with its last statement. */
export type Opened = Record<string, unknown> | undefined;

export interface Opening {
  /** Statements that set the role and the tenant; sent together with BEGIN, in one round trip. */
  readonly statements: string;
  readonly readOnly?: boolean;
}

/**
 * One transaction. `run` may be called a second time, when the first try met a deadlock, a serialization failure
 * or a statement whose plan a migration had outdated; nothing of the first try is left then.
 */
export async function transact<T>(
  db: Db,
  opening: Opening,
  run: (tx: Tx, opened: Opened) => Promise<T>,
): Promise<T> {
  try {
    return await attempt(db, opening, run);
  } catch (error) {
    if (!isRetryable(error)) throw translated(error);
    db.log.info({ code: errorCode(error) }, 'transaction tried again');
    return attempt(db, opening, run).catch((second: unknown) => {
      throw translated(second);
    });
  }
}

async function attempt<T>(db: Db, opening: Opening, run: (tx: Tx, opened: Opened) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  let broken: Error | undefined;
  try {
    const begin = opening.readOnly === true ? 'BEGIN READ ONLY' : 'BEGIN';
    // A query of several statements answers with a list of results, which the types of pg do not tell.
    const results: unknown = await client.query(`${begin};${opening.statements}`);
    const value = await run(bindKysely(db.kysely, client), lastRow(results));
    const committed = client.query('COMMIT');
    if (opening.readOnly === true) return release(client, committed, value);
    const outcome = await committed;
    // COMMIT of a transaction that failed inside answers ROLLBACK, and no error.
    if (outcome.command !== 'COMMIT') throw new Error('The transaction was rolled back at its end');
    return value;
  } catch (error) {
    broken = isConnectionError(error) || errorCode(error) === OUTDATED_PLAN ? asError(error) : undefined;
    if (!broken) await client.query('ROLLBACK').catch((failure: unknown) => (broken = asError(failure)));
    throw error;
  } finally {
    if (!released.has(client)) client.release(broken ?? false);
    released.delete(client);
  }
}

const released = new WeakSet<pg.PoolClient>();

/** A reader does not wait for its COMMIT: the answer can go while the connection finishes on its own. */
function release<T>(client: pg.PoolClient, committed: Promise<unknown>, value: T): T {
  released.add(client);
  committed.then(
    () => client.release(),
    (failure: unknown) => client.release(asError(failure)),
  );
  return value;
}

function lastRow(results: unknown): Opened {
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  if (typeof last !== 'object' || last === null || !('rows' in last) || !Array.isArray(last.rows))
    return undefined;
  return last.rows[0];
}

/** Runs a statement that has no parameters. */
export const execute = async (tx: Tx, statement: string): Promise<void> =>
  void (await sql.raw(statement).execute(tx));

/** Work of the service itself, across tenants: queues, keys, organizations. Row-level security still limits it. */
export const asSystem = <T>(db: Db, run: (tx: Tx) => Promise<T>): Promise<T> =>
  transact(db, { statements: 'SET LOCAL ROLE aliquot_system' }, run);

const OUTDATED_PLAN = '0A000';
const RETRYABLE = new Set([OUTDATED_PLAN, '40001', '40P01']);
const CONNECTION_CODES = /^(08|57P0|ECONN|EPIPE|ENOENT|ENOTFOUND|ETIMEDOUT)/;

export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

const isRetryable = (error: unknown) => RETRYABLE.has(errorCode(error));

function isConnectionError(error: unknown): boolean {
  if (CONNECTION_CODES.test(errorCode(error))) return true;
  return (
    error instanceof Error && /Connection terminated|not queryable|timeout exceeded when/.test(error.message)
  );
}

/** A database that is away is a 503 that asks to come back, not a bug of ours. */
function translated(error: unknown): unknown {
  if (error instanceof DomainError || !isConnectionError(error)) return error;
  return new DomainError('unavailable', 'The database cannot be reached at the moment; try again', 1);
}

const asError = (thing: unknown): Error => (thing instanceof Error ? thing : new Error(String(thing)));
