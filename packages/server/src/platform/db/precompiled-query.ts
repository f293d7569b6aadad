import type { Compilable } from 'kysely';
import { executeStatement } from './transaction-connection.ts';
import type { Tx } from './database.ts';

/** Stands for a value while the query is compiled. */
class QueryPlaceholder {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A query that is compiled once. */
type PrecompiledQuery<V, O> = (tx: Tx, values: V) => Promise<O[]>;

interface PrecompiledText {
  readonly sql: string;
  /** Each parameter: a placeholder for a value by name, or a constant of the query. */
  readonly parameters: readonly unknown[];
}

/**
 * A query that is compiled once and run with different values: for frequent reads, building the query costs this
 * process more than the database takes to answer. `build` may only pass the values on to the query: during compilation
 * they are placeholders, so the query cannot depend on them.
 */
export function precompileQuery<V extends object, O>(
  build: (tx: Tx, values: V) => Compilable<O>,
): PrecompiledQuery<V, O> {
  let ready: PrecompiledText | undefined;
  return async (tx, values) => {
    ready ??= compileText(build, tx);
    const given = new Map<string, unknown>(Object.entries(values));
    const parameters = ready.parameters.map((each) =>
      each instanceof QueryPlaceholder ? given.get(each.name) : each,
    );
    const { rows } = await executeStatement<O>(tx, { sql: ready.sql, parameters });
    return rows;
  };
}

function compileText<V>(build: (tx: Tx, values: V) => Compilable<unknown>, tx: Tx): PrecompiledText {
  const places = new Proxy({}, { get: (_target, name) => new QueryPlaceholder(String(name)) });
  return build(tx, places as V).compile();
}
