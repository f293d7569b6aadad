import { SpanKind, SpanStatusCode, type Span } from '@opentelemetry/api';
import type { CompiledQuery, QueryResult } from 'kysely';
import type pg from 'pg';
import { startChildSpan } from '../telemetry/telemetry.ts';
import type { DeferrableStatement, SqlStatement } from './deferred.ts';
import type { DatabaseDriver, TransactionDriverConnection } from './driver.ts';
import { summarizeQuery } from './query-summary.ts';

/**
 * A driver whose statements are spans of the request or job that runs them. It wraps another one only while traces are
 * exported, so that a service without traces does not pay for it.
 *
 * A span has the name of its statement and never its text or parameters. Deferred statements are sent with a later one,
 * so their spans begin when they are sent and end with that one: the database reports no earlier end.
 */
export const traceStatements = (driver: DatabaseDriver): DatabaseDriver => ({
  ...driver,
  connect: (client, start) => new TracedConnection(driver.connect(client, start)),
});

class TracedConnection implements TransactionDriverConnection {
  readonly #connection: TransactionDriverConnection;
  #deferred: string[] = [];

  constructor(connection: TransactionDriverConnection) {
    this.#connection = connection;
  }

  get isInTransaction(): boolean {
    return this.#connection.isInTransaction;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#observe(summarizeQuery(query.sql), () => this.#connection.executeQuery<R>(query));
  }

  execute(text: Pick<SqlStatement, 'sql' | 'parameters'>): Promise<pg.QueryResult> {
    return this.#observe(summarizeQuery(text.sql), () => this.#connection.execute(text));
  }

  defer(statement: DeferrableStatement): void {
    this.#deferred.push(nameOf(statement));
    this.#connection.defer(statement);
  }

  flush(): void {
    for (const span of this.#openDeferred()) span.end();
    this.#connection.flush();
  }

  commit(): Promise<void> {
    const isEmpty = this.#deferred.length === 0 && !this.#connection.isInTransaction;
    return isEmpty ? this.#connection.commit() : this.#observe('COMMIT', () => this.#connection.commit());
  }

  deferredFailure(): Promise<unknown> {
    return this.#connection.deferredFailure();
  }

  async #observe<T>(name: string, run: () => Promise<T>): Promise<T> {
    const together = this.#openDeferred();
    const span = openSpan(name, 1);
    try {
      return await run();
    } catch (error) {
      if (span) markFailed(span, error);
      throw error;
    } finally {
      span?.end();
      for (const each of together) each.end();
    }
  }

  /** One span for consecutive statements of the same name. */
  #openDeferred(): Span[] {
    const names = this.#deferred;
    this.#deferred = [];
    const spans: Span[] = [];
    for (let at = 0; at < names.length;) {
      const name = names[at] ?? '';
      const end = names.findIndex((other, index) => index > at && other !== name);
      const count = (end === -1 ? names.length : end) - at;
      const span = openSpan(name, count);
      if (span) spans.push(span);
      at += count;
    }
    return spans;
  }
}

function nameOf(statement: DeferrableStatement): string {
  const { row, call } = statement;
  if (row) return summarizeQuery(row.head);
  return summarizeQuery(call ? `select ${call.expression}` : statement.compile().sql);
}

const openSpan = (name: string, count: number): Span | undefined =>
  startChildSpan(name, {
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': 'postgresql',
      'db.query.summary': name,
      ...(count > 1 && { 'db.operation.batch.size': count }),
    },
  });

/** SQLSTATE, or the class of a failure that is not the database's. Messages may contain values. */
function markFailed(span: Span, error: unknown): void {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const isState = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  if (isState) span.setAttribute('db.response.status_code', code);
  span.setAttribute('error.type', isState ? code : error instanceof Error ? error.name : 'unknown');
  span.setStatus({ code: SpanStatusCode.ERROR });
}
