import type { ResultGroup } from './engine.ts';
import { formatLocalDay, formatLocalTimestamp } from './local-time.ts';
import type { OutputColumn, QueryPlan } from './plan.ts';
import type { ColumnKind, ColumnValue } from './row.ts';

/** Columns of equal length, by name. */
export type ResultTable = Record<string, unknown[]>;

/** Converts groups to the selected columns, in the format of the interface. */
export function toResultTable(
  { outputs }: Pick<QueryPlan, 'outputs'>,
  groups: readonly ResultGroup[],
): ResultTable {
  return Object.fromEntries(
    outputs.map(({ name, kind, from, place }) => [
      name,
      groups.map(({ keys, values }) => formatCell(kind, (from === 'keys' ? keys : values)[place] ?? null)),
    ]),
  );
}

function formatCell(kind: ColumnKind, value: ColumnValue): unknown {
  if (typeof value !== 'number') return value;
  if (kind === 'moment') return formatLocalTimestamp(value);
  return kind === 'day' ? formatLocalDay(value) : value;
}

/** Column types as in `result_table_schema`. Moments and days are strings. */
// prettier-ignore
const SCHEMA_TYPES: Record<ColumnKind, string> = {
  number: 'float64', integer: 'int64', text: 'string', boolean: 'bool', moment: 'string', day: 'string', list: 'string',
};

export const toResultTableSchema = (outputs: readonly OutputColumn[]): Record<string, string> =>
  Object.fromEntries(outputs.map(({ name, kind }) => [name, SCHEMA_TYPES[kind]]));
