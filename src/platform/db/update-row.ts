import type { Selectable, Updateable } from 'kysely';
import { executeOn } from './hand.ts';
import type { Database, Tx } from './database.ts';
import type { Deferrable } from './deferred.ts';

const texts = new Map<string, string>();

interface Update<T extends keyof Database, R extends keyof Database[T]> {
  readonly set: Updateable<Database[T]>;
  /** Columns that must be equal to these. */
  readonly where: Partial<Selectable<Database[T]>>;
  readonly returning: readonly (R & string)[];
}

/**
 * The update of the rows that `where` names as a statement that can be deferred: for what nobody needs an answer to.
 * Its text is made once, as below.
 */
export function changeRow<T extends keyof Database & string>(
  table: T,
  { set, where }: Pick<Update<T, never>, 'set' | 'where'>,
): Deferrable {
  return { compile: () => statementOf(table, { set, where, returning: [] }) };
}

/**
 * Updates the row that `where` names and answers what it is now; undefined where there is none. Its text is made once
 * for a table and its columns, as that of `insertRow`; the values are handed on and cannot be expressions.
 */
export async function updateRow<T extends keyof Database & string, R extends keyof Database[T]>(
  tx: Tx,
  table: T,
  { set, where, returning }: Update<T, R>,
): Promise<Pick<Selectable<Database[T]>, R & keyof Selectable<Database[T]>> | undefined> {
  const statement = statementOf(table, { set, where, returning });
  const { rows } = await executeOn<Pick<Selectable<Database[T]>, R & keyof Selectable<Database[T]>>>(
    tx,
    statement,
  );
  return rows[0];
}

type Given = Record<'set' | 'where', object> & { readonly returning: readonly string[] };

function statementOf(table: string, { set, where, returning }: Given) {
  const changes = Object.entries(set).filter(([, value]) => value !== undefined);
  const parameters: unknown[] = [...changes.map(([, value]) => value), ...Object.values(where)];
  const columns = { set: changes.map(([column]) => column), where: Object.keys(where), returning };
  return { sql: textOf(table, columns), parameters };
}

type Columns = Record<'set' | 'where' | 'returning', readonly string[]>;

function textOf(table: string, { set, where, returning }: Columns): string {
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
