import type { GroupByExpression, AggregationQuery, SelectExpression } from './schema.ts';
import type { AggregationColumn, AggregationRow, ColumnValue } from './row.ts';
import { readPath } from './summary-columns.ts';
import { findSummaryTable, type AggregationTable } from './tables.ts';

/** Macros that follow directly from a provider's sleep summary; undefined for those that would need a model. */
export function findMacro(
  name: string,
): { readonly table: AggregationTable; readonly column: AggregationColumn } | undefined {
  const table = findSummaryTable('sleep');
  const [start, latency] = [table?.columns.get('session_start'), table?.columns.get('latency_second')];
  const [end, score] = [table?.columns.get('session_end'), table?.columns.get('score')];
  if (!table || !start || !latency || !end || !score) throw new Error('A sleep has these columns');
  const asleepAt = (row: AggregationRow) => addSeconds(start.of(row), latency.of(row));
  switch (name) {
    case 'asleep_at':
      return { table, column: { name, kind: 'moment', of: asleepAt } };
    case 'awake_at':
      return { table, column: { name, kind: 'moment', of: end.of } };
    case 'sleep_score':
      return { table, column: { name, kind: 'number', of: score.of } };
    case AWAKENINGS:
      return { table, column: { name, kind: 'integer', of: countAwakenings } };
    default:
      return undefined;
  }
}

const addSeconds = (start: ColumnValue, seconds: ColumnValue): ColumnValue =>
  typeof start === 'number' ? start + (typeof seconds === 'number' ? seconds : 0) * 1000 : null;

const AWAKENINGS = 'awakenings';
/** The field of a sleep row with its stage types in order; filled only for queries that need it. */
export const SLEEP_STAGES_FIELD = 'stages';

/** Whether a query needs sleep stages, which are stored in separate summaries. */
export const hasSleepStageColumn = ({ select, group_by: groupBy = [] }: AggregationQuery): boolean =>
  [...select, ...groupBy].some(isAwakeningsColumn);

function isAwakeningsColumn(expression: SelectExpression | GroupByExpression): boolean {
  const isOf = 'func' in expression || 'date_trunc' in expression || 'date_part' in expression;
  const own = isOf ? expression.arg : expression;
  return 'value_macro' in own && own.value_macro === AWAKENINGS;
}

const [DEEP, LIGHT, REM, AWAKE] = [1, 2, 3, 4];
const ASLEEP: readonly unknown[] = [DEEP, LIGHT, REM];

/**
 * Counts the awake phases between the first and the last asleep stage. Consecutive awake stages count once. Null if the
 * sleep has no known stages.
 */
function countAwakenings({ fields }: AggregationRow): number | null {
  const stages = readPath(fields, SLEEP_STAGES_FIELD);
  if (!Array.isArray(stages) || !stages.some((stage) => ASLEEP.includes(stage))) return null;
  const known = stages.filter((stage) => stage === AWAKE || ASLEEP.includes(stage));
  const slept = known.slice(
    known.findIndex((stage) => ASLEEP.includes(stage)),
    known.findLastIndex((stage) => ASLEEP.includes(stage)),
  );
  return slept.filter((stage, index) => stage === AWAKE && slept[index - 1] !== AWAKE).length;
}
