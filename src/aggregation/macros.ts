import type { GroupedBy, Query, Selected } from './schema.ts';
import type { Column, Row, Value } from './row.ts';
import { at } from './summary-columns.ts';
import { summaryTable, type Table } from './tables.ts';

/** What can be told from a sleep as its provider sent it; undefined for what we would have to make up. */
export function macroOf(name: string): { readonly table: Table; readonly column: Column } | undefined {
  const table = summaryTable('sleep');
  const [start, latency] = [table?.columns.get('session_start'), table?.columns.get('latency_second')];
  const [end, score] = [table?.columns.get('session_end'), table?.columns.get('score')];
  if (!table || !start || !latency || !end || !score) throw new Error('A sleep has these columns');
  const asleepAt = (row: Row) => later(start.of(row), latency.of(row));
  switch (name) {
    case 'asleep_at':
      return { table, column: { name, kind: 'moment', of: asleepAt } };
    case 'awake_at':
      return { table, column: { name, kind: 'moment', of: end.of } };
    case 'sleep_score':
      return { table, column: { name, kind: 'number', of: score.of } };
    case AWAKENINGS:
      return { table, column: { name, kind: 'integer', of: awakeningsIn } };
    default:
      return undefined;
  }
}

const later = (start: Value, seconds: Value): Value =>
  typeof start === 'number' ? start + (typeof seconds === 'number' ? seconds : 0) * 1000 : null;

const AWAKENINGS = 'awakenings';
/** The field of a sleep that has the types of its stages, in their order, where a query asks for them. */
export const STAGES = 'stages';

/** Whether a query needs the stages of sleeps, which lie in summaries of their own. */
export const asksForStages = ({ select, group_by: groupBy = [] }: Query): boolean =>
  [...select, ...groupBy].some(isAwakenings);

function isAwakenings(expression: Selected | GroupedBy): boolean {
  const isOf = 'func' in expression || 'date_trunc' in expression || 'date_part' in expression;
  const own = isOf ? expression.arg : expression;
  return 'value_macro' in own && own.value_macro === AWAKENINGS;
}

const [DEEP, LIGHT, REM, AWAKE] = [1, 2, 3, 4];
const ASLEEP: readonly unknown[] = [DEEP, LIGHT, REM];

/**
 * How often one who slept lay awake and slept again. Stages that follow each other awake are one awakening; before the
 * first sleep and after the last it is none. Null of a sleep whose stages nobody knows.
 */
function awakeningsIn({ fields }: Row): number | null {
  const stages = at(fields, STAGES);
  if (!Array.isArray(stages) || !stages.some((stage) => ASLEEP.includes(stage))) return null;
  const known = stages.filter((stage) => stage === AWAKE || ASLEEP.includes(stage));
  const slept = known.slice(
    known.findIndex((stage) => ASLEEP.includes(stage)),
    known.findLastIndex((stage) => ASLEEP.includes(stage)),
  );
  return slept.filter((stage, index) => stage === AWAKE && slept[index - 1] !== AWAKE).length;
}
