import type { Insertable } from 'kysely';
import type { Database } from './database.ts';
import { compileInsert, type DeferrableStatement, type DeferredRow } from './deferred.ts';

const heads = new Map<string, string>();

/**
 * The insert of one row as a deferrable statement. Its text is built once per table and columns: for rows that every
 * request writes, rebuilding the query would cost more than running it.
 */
export function insertRow<T extends keyof Database & string>(
  table: T,
  row: Insertable<Database[T]>,
): DeferrableStatement {
  const columns = Object.keys(row);
  const values: unknown[] = Object.values(row);
  const inserted: DeferredRow = { head: insertHead(table, columns), values };
  return { row: inserted, compile: () => compileInsert([inserted]) };
}

function insertHead(table: string, columns: readonly string[]): string {
  const key = `${table}:${columns.join()}`;
  const known = heads.get(key);
  if (known !== undefined) return known;
  const head = `insert into "${table}" (${columns.map((column) => `"${column}"`).join(', ')}) values`;
  heads.set(key, head);
  return head;
}
