/** The text of a statement with its parameters. */
export interface Text {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  /** Told when it fails; the transaction then fails as well. */
  readonly failed?: () => void;
}

/** A row to be inserted: how the statement begins, up to its values, and these. */
export interface Row {
  readonly head: string;
  readonly values: readonly unknown[];
}

/** A statement that can wait for company: it answers nothing that anybody needs before the end. */
export interface Deferrable {
  compile(): Text;
  /** Where it inserts a row and does no more: rows with one head can be inserted by one statement. */
  readonly row?: Row;
}

/** The statements in their order; rows that follow each other into one table go together. */
export function textsOf(waiting: readonly Deferrable[]): Text[] {
  const texts: Text[] = [];
  for (let at = 0; at < waiting.length;) {
    const rows = rowsFrom(waiting, at);
    const first = waiting[at];
    if (first) texts.push(rows.length > 1 ? insertText(rows) : first.compile());
    at += Math.max(rows.length, 1);
  }
  return texts;
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
    parameters: rows.length === 1 && first ? first.values : rows.flatMap(({ values }) => values),
  };
}

/** `($3, $4)` for two places after the second. */
const places = (after: number, width: number): string =>
  `(${Array.from({ length: width }, (_, index) => `$${after + index + 1}`).join(', ')})`;
