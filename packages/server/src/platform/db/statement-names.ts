import type { SqlStatement } from './deferred.ts';

const NAMED_STATEMENTS_MAX = 2000;
const names = new Map<string, string>();

/** Statements are named by their text, so that each connection plans them once. */
function statementNameOf(text: string): string | undefined {
  const known = names.get(text);
  if (known !== undefined) return known;
  if (names.size >= NAMED_STATEMENTS_MAX) return undefined;
  const name = `q${names.size}`;
  names.set(text, name);
  return name;
}

/** The name under which a statement is prepared; undefined for one that is sent as text. */
export const preparedNameOf = (text: SqlStatement): string | undefined =>
  text.name ?? (text.parameters.length === 0 ? undefined : statementNameOf(text.sql));

/** Without parameters a text may contain several statements, which cannot be prepared. */
export const isSimpleQuery = ({ name, parameters }: SqlStatement): boolean =>
  name === undefined && parameters.length === 0;
