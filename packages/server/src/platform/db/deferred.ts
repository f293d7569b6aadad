/** A SQL statement with its parameters. */
export interface SqlStatement {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** The name under which a single statement without parameters is prepared. */
  readonly name?: string;
  /** Called when it fails; the transaction then fails as well. */
  readonly failed?: () => void;
}

/** A row to insert: the start of the statement up to VALUES, and the values. */
export interface DeferredRow {
  readonly head: string;
  readonly values: readonly unknown[];
}

/** A function call for its side effect: `set_config('a', ?, true)`, with a `?` for each value. */
interface DeferredCall {
  readonly expression: string;
  readonly values: readonly unknown[];
}

/**
 * A statement that can be deferred and sent with others, because its result is not needed before the end of the
 * transaction.
 */
export interface DeferrableStatement {
  compile(): SqlStatement;
  /** Set if it only inserts a row: rows with the same head are merged into one statement. */
  readonly row?: DeferredRow;
  /** Set if it only calls a function: consecutive calls are merged into one statement. */
  readonly call?: DeferredCall;
}

/** A function call as a deferrable statement. */
export function deferrableCall(expression: string, ...values: readonly unknown[]): DeferrableStatement {
  const call: DeferredCall = { expression, values };
  return { call, compile: () => compileCalls([call]) };
}

/** Compiles statements in order. Consecutive rows of one table are merged, and so are consecutive calls. */
export function compileDeferred(waiting: readonly DeferrableStatement[]): SqlStatement[] {
  const texts: SqlStatement[] = [];
  for (let at = 0; at < waiting.length;) {
    const rows = takeRows(waiting, at);
    const calls = rows.length > 0 ? [] : takeCalls(waiting, at);
    const first = waiting[at];
    if (rows.length > 1) texts.push(compileInsert(rows));
    else if (calls.length > 1) texts.push(compileCalls(calls));
    else if (first) texts.push(first.compile());
    at += Math.max(rows.length, calls.length, 1);
  }
  return texts;
}

const CALLS_MAX = 3;

function takeCalls(waiting: readonly DeferrableStatement[], from: number): DeferredCall[] {
  const calls: DeferredCall[] = [];
  for (let at = from; calls.length < CALLS_MAX; at += 1) {
    const call = waiting[at]?.call;
    if (!call) break;
    calls.push(call);
  }
  return calls;
}

const ROWS_MAX = 32;

/** Takes a power of two of rows, so that a table has few statement texts and each is planned once. */
function takeRows(waiting: readonly DeferrableStatement[], from: number): DeferredRow[] {
  const rows: DeferredRow[] = [];
  for (const { row } of waiting.slice(from, from + ROWS_MAX)) {
    if (!row || row.head !== (rows[0] ?? row).head) break;
    rows.push(row);
  }
  return rows.slice(0, 2 ** Math.floor(Math.log2(rows.length)));
}

/** The text of a sequence of calls, and the texts with one call more: a trie. */
interface CallTextNode {
  readonly sql: string;
  readonly next: Map<string, CallTextNode>;
}
const callTexts: CallTextNode = { sql: '', next: new Map() };

/** One statement that calls functions in order. Its text is built once. */
function compileCalls(calls: readonly DeferredCall[]): SqlStatement {
  let at = callTexts;
  const parameters: unknown[] = [];
  for (const { expression, values } of calls) {
    let next = at.next.get(expression);
    if (!next) at.next.set(expression, (next = appendCall(at, expression, parameters.length)));
    at = next;
    parameters.push(...values);
  }
  return { sql: at.sql, parameters };
}

function appendCall({ sql }: CallTextNode, expression: string, places: number): CallTextNode {
  let place = places;
  const call = expression.replace(/\?/g, () => `$${(place += 1)}`);
  return { sql: sql === '' ? `select ${call}` : `${sql}, ${call}`, next: new Map() };
}

const texts = new Map<string, string>();

/** One statement for rows with the same head. Its text is built once per number of rows. */
export function compileInsert(rows: readonly DeferredRow[]): SqlStatement {
  const [first] = rows;
  const [head, width] = [first?.head ?? '', first?.values.length ?? 0];
  const key = `${rows.length} ${head}`;
  const sql =
    texts.get(key) ?? `${head} ${rows.map((_, index) => placeholders(index * width, width)).join(', ')}`;
  texts.set(key, sql);
  return {
    sql,
    parameters: rows.length === 1 && first ? first.values : valuesOf(rows),
  };
}

/** On the path of every insert: `flatMap` would take ten times as long. */
function valuesOf(rows: readonly DeferredRow[]): unknown[] {
  const all: unknown[] = [];
  for (const { values } of rows) for (const value of values) all.push(value);
  return all;
}

/** `($3, $4)` for two placeholders after the second. */
const placeholders = (after: number, width: number): string =>
  `(${Array.from({ length: width }, (_, index) => `$${after + index + 1}`).join(', ')})`;
