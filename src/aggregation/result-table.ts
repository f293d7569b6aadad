import type { Group } from './engine.ts';
import { wallDay, wallMoment } from './local-time.ts';
import type { Output, Plan } from './plan.ts';
import type { Kind, Value } from './row.ts';

/** Columns of one length, by name. */
export type ResultTable = Record<string, unknown[]>;

/** The columns that were asked for, written as the answer has them. */
export function resultTable({ outputs }: Pick<Plan, 'outputs'>, groups: readonly Group[]): ResultTable {
  return Object.fromEntries(
    outputs.map(({ name, kind, from, place }) => [
      name,
      groups.map(({ keys, values }) => written(kind, (from === 'keys' ? keys : values)[place] ?? null)),
    ]),
  );
}

function written(kind: Kind, value: Value): unknown {
  if (typeof value !== 'number') return value;
  if (kind === 'moment') return wallMoment(value);
  return kind === 'day' ? wallDay(value) : value;
}

/** The types of columns as a result_table_schema names them. Moments and days are texts. */
// prettier-ignore
const TYPES: Record<Kind, string> = {
  number: 'float64', integer: 'int64', text: 'string', boolean: 'bool', moment: 'string', day: 'string', list: 'string',
};

export const resultSchema = (outputs: readonly Output[]): Record<string, string> =>
  Object.fromEntries(outputs.map(({ name, kind }) => [name, TYPES[kind]]));
