import type { CompiledQuery, QueryResult } from 'kysely';
import pg from 'pg';
import { compileDeferred, type DeferrableStatement, type SqlStatement } from '../deferred.ts';
import type { ReaderStart, TransactionDriverConnection, WriterStart } from '../driver.ts';
import { isSimpleQuery, preparedNameOf } from '../statement-names.ts';

/** No statement has this name, so the server refuses it and fails the transaction. */
const REFUSED = 'EXECUTE aliquot_nothing';

/**
 * One `pg` query for each statement, sent without waiting for the earlier ones (`pipeline`). A transaction waits for
 * its deferred statements before its COMMIT.
 */
export class PlainConnection implements TransactionDriverConnection {
  readonly #client: pg.PoolClient;
  #waiting: DeferrableStatement[] = [];
  #sent: Promise<unknown>[] = [];
  /** Set until a transaction is open that its owner must end. */
  #start: ReaderStart | WriterStart | undefined;

  constructor(client: pg.PoolClient, start?: ReaderStart | WriterStart) {
    this.#client = client;
    this.#start = start;
  }

  get isInTransaction(): boolean {
    return this.#start === undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.execute(query);
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  execute(text: Pick<SqlStatement, 'sql' | 'parameters'>): Promise<pg.QueryResult> {
    this.flush();
    return this.#run(text);
  }

  defer(statement: DeferrableStatement): void {
    this.#waiting.push(statement);
  }

  flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const text of compileDeferred(waiting)) this.#post(this.#run(text));
  }

  async commit(): Promise<void> {
    this.flush();
    if (!this.isInTransaction) return;
    const failure = await this.deferredFailure();
    if (failure !== undefined) throw failure;
    const { command } = await this.#client.query('COMMIT');
    // COMMIT of a failed transaction returns the command ROLLBACK, and no error.
    if (command !== 'COMMIT') throw new Error('The transaction was rolled back instead of committed');
  }

  async deferredFailure(): Promise<unknown> {
    const outcomes = await Promise.allSettled(this.#sent);
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  #run(text: SqlStatement): Promise<pg.QueryResult> {
    const start = this.#start;
    if (start && 'begin' in start && !isSimpleQuery(text)) return this.#runAlone(start, text);
    if (start) this.#begin(start);
    return this.#send(text).catch((error: unknown) => {
      // What could not be encoded never reached the server, which would go on with the transaction.
      if (!(error instanceof pg.DatabaseError)) this.#client.query(REFUSED).catch(() => {});
      throw error;
    });
  }

  /** A reader's statement: a transaction of its own. */
  #runAlone({ begin }: ReaderStart, text: SqlStatement): Promise<pg.QueryResult> {
    this.#post(this.#client.query(begin()));
    const result = this.#send(text);
    this.#post(this.#client.query('COMMIT'));
    return result;
  }

  #begin(start: ReaderStart | WriterStart): void {
    this.#start = undefined;
    this.#post(this.#client.query('begin' in start ? start.begin() : 'BEGIN'));
    if ('opening' in start) this.#post(this.#send(start.opening.compile()));
  }

  /** Its failure is that of a statement whose result nobody waits for. */
  #post(sent: Promise<unknown>): void {
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  async #send(text: SqlStatement): Promise<pg.QueryResult> {
    const name = preparedNameOf(text);
    const query = { text: text.sql, values: [...text.parameters] };
    try {
      return await this.#client.query(name === undefined ? query : { name, ...query });
    } catch (error) {
      text.failed?.();
      throw error;
    }
  }
}
