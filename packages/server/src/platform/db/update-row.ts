import type { Selectable, Updateable } from 'kysely';
import { executeStatement } from './transaction-connection.ts';
import type { Database, Tx } from './database.ts';
import type { DeferrableStatement } from './deferred.ts';

const texts = new Map<string, string>();

interface RowUpdate<T extends keyof Database, R extends keyof Database[T]> {
  readonly set: Updateable<Database[T]>;
  /** Column values that a row must have. */
  readonly where: Partial<Selectable<Database[T]>>;
  readonly returning: readonly (R & string)[];
}

/**
 * The update of the rows that match `where`, as a deferrable statement: for updates whose result is not needed. Its
 * text is built once, as below.
 */
export function deferrableUpdate<T extends keyof Database & string>(
  table: T,
  { set, where }: Pick<RowUpdate<T, never>, 'set' | 'where'>,
): DeferrableStatement {
  return { compile: () => compileUpdate(table, { set, where, returning: [] }) };
}

/**
 * Updates the row that matches `where` and returns its new values; undefined if there is none. Its text is built once
 * per table and columns, as in `insertRow`; values cannot be expressions.
 */
export async function updateRow<T extends keyof Database & string, R extends keyof Database[T]>(
  tx: Tx,
  table: T,
  { set, where, returning }: RowUpdate<T, R>,
): Promise<Pick<Selectable<Database[T]>, R & keyof Selectable<Database[T]>> | undefined> {
  const statement = compileUpdate(table, { set, where, returning });
  const { rows } = await executeStatement<Pick<Selectable<Database[T]>, R & keyof Selectable<Database[T]>>>(
    tx,
    statement,
  );
  return rows[0];
}

type RowUpdateInput = Record<'set' | 'where', object> & { readonly returning: readonly string[] };

function compileUpdate(table: string, { set, where, returning }: RowUpdateInput) {
  const changes = Object.entries(set).filter(([, value]) => value !== undefined);
  const parameters: unknown[] = [...changes.map(([, value]) => value), ...Object.values(where)];
  const columns = { set: changes.map(([column]) => column), where: Object.keys(where), returning };
  return { sql: updateText(table, columns), parameters };
}

type RowUpdateColumns = Record<'set' | 'where' | 'returning', readonly string[]>;

function updateText(table: string, { set, where, returning }: RowUpdateColumns): string {
  const key = `${table}:${set.join()}:${where.join()}:${returning.join()}`;
  const known = texts.get(key);
  if (known !== undefined) return known;
  const places = (columns: readonly string[], from: number) =>
    columns.map((column, index) => `"${column}" = $${from + index + 1}`);
  const answer = returning.map((column) => `"${column}"`).join(', ');
  const change = `update "${table}" set ${places(set, 0).join(', ')} where ${places(where, set.length).join(' and ')}`;
  const text = answer === '' ? change : `${change} returning ${answer}`;
  texts.set(key, text);
  return text;
}
