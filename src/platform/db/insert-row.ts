import type { Insertable } from 'kysely';
import type { Deferrable } from './connection.ts';
import type { Database } from './database.ts';

const texts = new Map<string, string>();

/**
 * The insert of one row as a statement that can be deferred. Its text is made once for a table and its columns:
 * for rows that every request writes, building the query anew would cost more than running it.
 */
export function insertRow<T extends keyof Database & string>(
  table: T,
  row: Insertable<Database[T]>,
): Deferrable {
  const columns = Object.keys(row);
  const parameters: unknown[] = Object.values(row);
  return { compile: () => ({ sql: textOf(table, columns), parameters }) };
}

function textOf(table: string, columns: readonly string[]): string {
  const key = `${table}:${columns.join()}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const names = columns.map((column) => `"${column}"`).join(', ');
  const places = columns.map((_, index) => `$${index + 1}`).join(', ');
  const text = `insert into "${table}" (${names}) values (${places})`;
  texts.set(key, text);
  return text;
}
