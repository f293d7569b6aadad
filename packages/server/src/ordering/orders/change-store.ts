import type { Updateable } from 'kysely';
import { executeStatement } from '../../platform/db/transaction-connection.ts';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { updateRow } from '../../platform/db/update-row.ts';
import { createBatchLoader } from '../../platform/batch-loader.ts';
import type { Work } from '../../platform/work.ts';
import type { OrderRow } from './order.ts';
import { REFRESHED_COLUMNS } from './read-store.ts';

/** The columns that may have changed since the order was read. */
export type RefreshedOrderRow = Pick<OrderRow, (typeof REFRESHED_COLUMNS)[number]>;

type OrderColumnChanges = Updateable<Database['lab_order']>;

interface OrderRowUpdate {
  readonly order: Pick<OrderRow, 'id' | 'step'>;
  /** Undefined values are left unchanged. */
  readonly changes: OrderColumnChanges;
}

/**
 * Updates the order's row if the order is still at the given step (optimistic concurrency), and returns the new row;
 * undefined if the order has moved on. Concurrent updates of the same columns are batched into one statement.
 */
export const updateOrderRow: (work: Work, change: OrderRowUpdate) => Promise<RefreshedOrderRow | undefined> =
  createBatchLoader(async (work, all: readonly OrderRowUpdate[]) => {
    const [only] = all;
    if (only && all.length === 1) return [await updateOneRow(work, only)];
    const written = new Map<OrderRowUpdate, Promise<RefreshedOrderRow | undefined>>();
    for (const [columns, alike] of groupByColumns(all)) {
      const rows =
        alike.length > 1 && columns.every(isBatchable) ? updateManyRows(work, columns, alike) : undefined;
      for (const one of alike)
        written.set(one, rows ? rows.then((found) => found.get(one.order.id)) : updateOneRow(work, one));
    }
    return Promise.all(all.map((one) => written.get(one)));
  });

function groupByColumns(all: readonly OrderRowUpdate[]): [OrderColumn[], OrderRowUpdate[]][] {
  const groups = new Map<string, [OrderColumn[], OrderRowUpdate[]]>();
  for (const one of all) {
    const columns = columnsOf(one);
    const key = columns.join();
    const group = groups.get(key) ?? [columns, []];
    group[1].push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}

type OrderColumn = keyof OrderColumnChanges & string;

const columnsOf = ({ changes }: OrderRowUpdate): OrderColumn[] =>
  (Object.keys(changes) as OrderColumn[]).filter((column) => changes[column] !== undefined).toSorted();

const updateOneRow = (
  work: Work,
  { order, changes }: OrderRowUpdate,
): Promise<RefreshedOrderRow | undefined> =>
  updateRow(work.tx, 'lab_order', {
    set: changes,
    where: { ...tenantColumns(work.tenant), id: order.id, step: order.step },
    returning: REFRESHED_COLUMNS,
  });

/** Columns that a step change writes, with their database types: updates of these columns can be batched. */
// prettier-ignore
export const BATCHABLE_COLUMNS: Readonly<Partial<Record<OrderColumn, string>>> = {
  step:                'text',
  status_detail:       'text',
  leg:                 'text',
  waiting_reason:      'text',
  sample_id:           'text',
  interpretation:      'text',
  has_missing_results: 'boolean',
  updated_at:          'timestamp with time zone',
};

const isBatchable = (column: OrderColumn): boolean => BATCHABLE_COLUMNS[column] !== undefined;

async function updateManyRows(
  work: Work,
  columns: readonly OrderColumn[],
  all: readonly OrderRowUpdate[],
): Promise<ReadonlyMap<string, RefreshedOrderRow>> {
  const rows = all.map(({ order, changes }) => ({ ...changes, order_id: order.id, at_step: order.step }));
  const { teamId, environment } = work.tenant;
  const parameters = [JSON.stringify(rows), teamId, environment];
  const changed = await executeStatement<RefreshedOrderRow>(work.tx, {
    sql: getUpdateStatement(columns),
    parameters,
  });
  return new Map(changed.rows.map((row) => [row.id, row]));
}

const statementCache = new Map<string, string>();

/** Cached per set of columns, so that each statement is prepared once. */
function getUpdateStatement(columns: readonly OrderColumn[]): string {
  const key = columns.join();
  const known = statementCache.get(key);
  if (known !== undefined) return known;
  const text = `update lab_order as o
    set ${columns.map((column) => `${column} = new.${column}`).join(', ')}
    from json_to_recordset($1::json)
      as new (order_id uuid, at_step text${columns.map((column) => `, ${column} ${BATCHABLE_COLUMNS[column]}`).join('')})
    where o.team_id = $2 and o.environment = $3 and o.id = new.order_id and o.step = new.at_step
    returning ${REFRESHED_COLUMNS.map((column) => `o.${column}`).join(', ')}`;
  statementCache.set(key, text);
  return text;
}
