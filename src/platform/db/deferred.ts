/** The text of a statement with its parameters. */
export interface Text {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** By which it is prepared where it has no parameters: it is one statement. */
  readonly name?: string;
  /** Told when it fails; the transaction then fails as well. */
  readonly failed?: () => void;
}

/** A row to be inserted: how the statement begins, up to its values, and these. */
export interface Row {
  readonly head: string;
  readonly values: readonly unknown[];
}

/** A function that is called for what it does: `set_config('a', ?, true)`, with a place for each of the values. */
export interface Call {
  readonly expression: string;
  readonly values: readonly unknown[];
}

/** A statement that can wait for company: it answers nothing that anybody needs before the end. */
export interface Deferrable {
  compile(): Text;
  /** Where it inserts a row and does no more: rows with one head can be inserted by one statement. */
  readonly row?: Row;
  /** Where it calls a function and does no more: several can be called by one statement, one after the other. */
  readonly call?: Call;
}

/** The call of a function as a statement that can be deferred. */
export function callOf(expression: string, ...values: readonly unknown[]): Deferrable {
  const call: Call = { expression, values };
  return { call, compile: () => callText([call]) };
}

/** The statements in their order; rows that follow each other into one table go together, and so do calls. */
export function textsOf(waiting: readonly Deferrable[]): Text[] {
  const texts: Text[] = [];
  for (let at = 0; at < waiting.length;) {
    const rows = rowsFrom(waiting, at);
    const calls = rows.length > 0 ? [] : callsFrom(waiting, at);
    const first = waiting[at];
    if (rows.length > 1) texts.push(insertText(rows));
    else if (calls.length > 1) texts.push(callText(calls));
    else if (first) texts.push(first.compile());
    at += Math.max(rows.length, calls.length, 1);
  }
  return texts;
}

const CALLS_MAX = 3;

function callsFrom(waiting: readonly Deferrable[], from: number): Call[] {
  const calls: Call[] = [];
  for (let at = from; calls.length < CALLS_MAX; at += 1) {
    const call = waiting[at]?.call;
    if (!call) break;
    calls.push(call);
  }
  return calls;
}

const ROWS_MAX = 32;

/** Two, four, eight and so on, so that a table has few texts and each of them is planned once. */
function rowsFrom(waiting: readonly Deferrable[], from: number): Row[] {
  const rows: Row[] = [];
  for (const { row } of waiting.slice(from, from + ROWS_MAX)) {
    if (!row || row.head !== (rows[0] ?? row).head) break;
    rows.push(row);
  }
  return rows.slice(0, 2 ** Math.floor(Math.log2(rows.length)));
}

/** The text of calls in an order, and those that have one more. */
interface CallTexts {
  readonly sql: string;
  readonly next: Map<string, CallTexts>;
}
const callTexts: CallTexts = { sql: '', next: new Map() };

/** One statement that calls functions in their order. Its text is made once. */
function callText(calls: readonly Call[]): Text {
  let at = callTexts;
  const parameters: unknown[] = [];
  for (const { expression, values } of calls) {
    let next = at.next.get(expression);
    if (!next) at.next.set(expression, (next = longer(at, expression, parameters.length)));
    at = next;
    parameters.push(...values);
  }
  return { sql: at.sql, parameters };
}

function longer({ sql }: CallTexts, expression: string, places: number): CallTexts {
  let place = places;
  const call = expression.replace(/\?/g, () => `$${(place += 1)}`);
  return { sql: sql === '' ? `select ${call}` : `${sql}, ${call}`, next: new Map() };
}

const texts = new Map<string, string>();

/** One statement for rows of one head. Its text is made once for that and their number. */
export function insertText(rows: readonly Row[]): Text {
  const [first] = rows;
  const [head, width] = [first?.head ?? '', first?.values.length ?? 0];
  const key = `${rows.length} ${head}`;
  const sql = texts.get(key) ?? `${head} ${rows.map((_, index) => places(index * width, width)).join(', ')}`;
  texts.set(key, sql);
  return {
    sql,
    parameters: rows.length === 1 && first ? first.values : valuesOf(rows),
  };
}

/** Of every insert: `flatMap` would take ten times as long. */
function valuesOf(rows: readonly Row[]): unknown[] {
  const all: unknown[] = [];
  for (const { values } of rows) for (const value of values) all.push(value);
  return all;
}

/** `($3, $4)` for two places after the second. */
const places = (after: number, width: number): string =>
  `(${Array.from({ length: width }, (_, index) => `$${after + index + 1}`).join(', ')})`;
