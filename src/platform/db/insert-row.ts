import type { Insertable } from 'kysely';
import type { Database } from './database.ts';
import { insertText, type Deferrable, type Row } from './deferred.ts';

const heads = new Map<string, string>();

/**
 * The insert of one row as a statement that can be deferred. Its text is made once for a table and its columns:
 * for rows that every request writes, building the query anew would cost more than running it.
 */
export function insertRow<T extends keyof Database & string>(
  table: T,
  row: Insertable<Database[T]>,
): Deferrable {
  const columns = Object.keys(row);
  const values: unknown[] = Object.values(row);
  const inserted: Row = { head: headOf(table, columns), values };
  return { row: inserted, compile: () => insertText([inserted]) };
}

function headOf(table: string, columns: readonly string[]): string {
  const key = `${table}:${columns.join()}`;
  const known = heads.get(key);
  if (known !== undefined) return known;
  const head = `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) values`;
  heads.set(key, head);
  return head;
}
