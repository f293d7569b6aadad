import type { Compilable } from 'kysely';
import { executeOn } from './hand.ts';
import type { Tx } from './database.ts';

/** Stands for a value while the text of a query is made. */
class Place {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** A query whose text is made. */
export type ReadyQuery<V, O> = (tx: Tx, values: V) => Promise<O[]>;

interface Text {
  readonly sql: string;
  /** Where each parameter comes from: a value by its name, or a constant of the query. */
  readonly parameters: readonly unknown[];
}

/**
 * A query that is built once and run with other values each time: for what every request reads, building it anew
 * costs more of this process than the database takes to answer. `build` may hand the values on to the query and
 * nothing else: while the text is made they are stand-ins, so that no form of the query can depend on them.
 */
export function readyQuery<V extends object, O>(
  build: (tx: Tx, values: V) => Compilable<O>,
): ReadyQuery<V, O> {
  let ready: Text | undefined;
  return async (tx, values) => {
    ready ??= textOf(build, tx);
    const given = new Map<string, unknown>(Object.entries(values));
    const parameters = ready.parameters.map((each) => (each instanceof Place ? given.get(each.name) : each));
    const { rows } = await executeOn<O>(tx, { sql: ready.sql, parameters });
    return rows;
  };
}

function textOf<V>(build: (tx: Tx, values: V) => Compilable<unknown>, tx: Tx): Text {
  const places = new Proxy({}, { get: (_target, name) => new Place(String(name)) });
  return build(tx, places as V).compile();
}
