import type { CompiledQuery, QueryResult } from 'kysely';
import type pg from 'pg';
import { compileDeferred, type DeferrableStatement, type SqlStatement } from '../deferred.ts';
import type { ReaderStart, TransactionDriverConnection, WriterStart } from '../driver.ts';
import { isSimpleQuery, preparedNameOf } from '../statement-names.ts';
import { batchWrites } from './socket.ts';
import { BEGIN_NAME, isPrepared, sendStatement, type LeadingStatement } from './statement.ts';

/*
 * A reader's statement is sent after a leading statement that sets the tenant: the two are an implicit transaction, so
 * neither BEGIN nor COMMIT is needed.
 *
 * A writer's opening goes out after BEGIN with the first statement that needs a result. If none does, all deferred
 * statements are sent together at the end: one implicit transaction without BEGIN and COMMIT.
 */

const BEGIN: SqlStatement = { name: BEGIN_NAME, sql: 'BEGIN', parameters: [] };
const COMMIT: SqlStatement = { name: 'aliquot_commit', sql: 'COMMIT', parameters: [] };

/** For a prepared statement, which has a name. */
const toLeadingStatement = (text: SqlStatement): LeadingStatement => ({
  name: preparedNameOf(text) ?? '',
  values: text.parameters,
  failed: text.failed,
});

/** Sends the statements of one transaction together, as far as their order and their failures allow. */
export class FastConnection implements TransactionDriverConnection {
  readonly #client: pg.PoolClient;
  #waiting: DeferrableStatement[] = [];
  #sent: Promise<unknown>[] = [];
  #readerStart: ReaderStart | undefined;
  #writerStart: WriterStart | undefined;

  constructor(client: pg.PoolClient, start?: ReaderStart | WriterStart) {
    this.#client = client;
    if (start && 'opening' in start) this.#writerStart = start;
    else this.#readerStart = start;
  }

  get isInTransaction(): boolean {
    return this.#readerStart === undefined && this.#writerStart === undefined;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const result = await this.execute(query);
    return { rows: result.rows, numAffectedRows: BigInt(result.rowCount ?? 0) };
  }

  execute(text: Pick<SqlStatement, 'sql' | 'parameters'>): Promise<pg.QueryResult> {
    batchWrites(this.#client);
    // Deferred statements are sent separately, so that their failure is not attributed to this statement.
    if (this.#waiting.length > 0) this.flush();
    const opening = this.#withLeading(this.#withBegin(this.#pendingStatements()));
    if (isSimpleQuery(text)) this.#postAll(opening);
    return this.#send(text, isSimpleQuery(text) ? [] : opening);
  }

  defer(statement: DeferrableStatement): void {
    this.#waiting.push(statement);
  }

  flush(): void {
    if (this.#waiting.length === 0) return;
    batchWrites(this.#client);
    this.#postAll(this.#withLeading(this.#withBegin(this.#pendingStatements())));
  }

  async commit(): Promise<void> {
    if (this.#writerStart && this.#waiting.length === 0) return;
    const texts = this.#pendingStatements();
    const last = texts.at(-1);
    if (this.#writerStart && last && texts.every((text) => this.#isPrepared(text))) {
      await this.#send(last, texts.slice(0, -1));
      return;
    }
    batchWrites(this.#client);
    const { command } = await this.#send(COMMIT, this.#withLeading(this.#withBegin(texts)));
    const failure = this.#sent.length === 0 ? undefined : await this.deferredFailure();
    // COMMIT of a failed transaction returns the command ROLLBACK, and no error.
    if (failure !== undefined || command !== 'COMMIT')
      throw failure ?? new Error('The transaction was rolled back instead of committed');
  }

  /**
   * What must be sent before anything else: the opening statement, until the transaction has begun, and the deferred
   * statements.
   */
  #pendingStatements(): SqlStatement[] {
    const waiting = this.#writerStart ? [this.#writerStart.opening, ...this.#waiting] : this.#waiting;
    this.#waiting = [];
    return waiting.length === 0 ? [] : compileDeferred(waiting);
  }

  /** The same after BEGIN, if that was not sent yet. */
  #withBegin(texts: readonly SqlStatement[]): readonly SqlStatement[] {
    if (!this.#writerStart) return texts;
    this.#writerStart = undefined;
    return [BEGIN, ...texts];
  }

  /** Returns the trailing statements that can go out with the next statement; sends the others. */
  #withLeading(texts: readonly SqlStatement[]): SqlStatement[] {
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
    return name !== undefined && isPrepared(this.#client, name);
  }

  #post(text: SqlStatement, together: readonly SqlStatement[]): void {
    const sent = this.#send(text, together);
    sent.catch(() => {});
    this.#sent.push(sent);
  }

  async deferredFailure(): Promise<unknown> {
    const outcomes = await Promise.allSettled(this.#sent);
    return outcomes.find((outcome) => outcome.status === 'rejected')?.reason;
  }

  #send(query: SqlStatement, together: readonly SqlStatement[]): Promise<pg.QueryResult> {
    const name = preparedNameOf(query);
    if (isSimpleQuery(query) && this.#readerStart) this.#begin(this.#readerStart);
    const { sql: text, parameters: values, failed } = query;
    const statement = name === undefined ? { text, values, failed } : { name, text, values, failed };
    const prefaces = this.#readerStart ? [this.#readerStart.preface] : together.map(toLeadingStatement);
    return sendStatement(this.#client, statement, prefaces);
  }

  #begin({ begin }: ReaderStart): void {
    this.#readerStart = undefined;
    // If it fails, the following statement fails too.
    this.#client.query(begin()).catch(() => {});
  }
}
