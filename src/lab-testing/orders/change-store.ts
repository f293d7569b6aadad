import type { Updateable } from 'kysely';
import { executeOn } from '../../platform/db/hand.ts';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { updateRow } from '../../platform/db/update-row.ts';
import { together } from '../../platform/together.ts';
import type { Work } from '../../platform/work.ts';
import type { OrderRow } from './order.ts';
import { MOVABLE } from './read-store.ts';

/** What may have changed of an order since it was read. */
export type MovedRow = Pick<OrderRow, (typeof MOVABLE)[number]>;

type Changes = Updateable<Database['lab_order']>;

interface Change {
  readonly order: Pick<OrderRow, 'id' | 'step'>;
  /** What is undefined stays as it is. */
  readonly changes: Changes;
}

/**
 * Writes the order's row if it is still at its step, and answers what it is now; undefined where it has moved on.
 * Orders of which the same columns change in one turn are written by one statement.
 */
export const changeOrder: (work: Work, change: Change) => Promise<MovedRow | undefined> = together(
  async (work, all: readonly Change[]) => {
    const [only] = all;
    if (only && all.length === 1) return [await changeOne(work, only)];
    const written = new Map<Change, Promise<MovedRow | undefined>>();
    for (const [columns, alike] of byColumns(all)) {
      const rows = alike.length > 1 && columns.every(isListed) ? changeAll(work, columns, alike) : undefined;
      for (const one of alike)
        written.set(one, rows ? rows.then((found) => found.get(one.order.id)) : changeOne(work, one));
    }
    return Promise.all(all.map((one) => written.get(one)));
  },
);

function byColumns(all: readonly Change[]): [Column[], Change[]][] {
  const groups = new Map<string, [Column[], Change[]]>();
  for (const one of all) {
    const columns = columnsOf(one);
    const key = columns.join();
    const group = groups.get(key) ?? [columns, []];
    group[1].push(one);
    groups.set(key, group);
  }
  return [...groups.values()];
}

type Column = keyof Changes & string;

const columnsOf = ({ changes }: Change): Column[] =>
  (Object.keys(changes) as Column[]).filter((column) => changes[column] !== undefined).toSorted();

const changeOne = (work: Work, { order, changes }: Change): Promise<MovedRow | undefined> =>
  updateRow(work.tx, 'lab_order', {
    set: changes,
    where: { ...tenantColumns(work.tenant), id: order.id, step: order.step },
    returning: MOVABLE,
  });

/** What several orders can be given at once, by its type in the database: what a move of an order changes. */
// prettier-ignore
export const LISTED: Readonly<Partial<Record<Column, string>>> = {
  step:                'text',
  status_detail:       'text',
  leg:                 'text',
  waiting_reason:      'text',
  sample_id:           'text',
  interpretation:      'text',
  has_missing_results: 'boolean',
  updated_at:          'timestamp with time zone',
};

const isListed = (column: Column): boolean => LISTED[column] !== undefined;

async function changeAll(
  work: Work,
  columns: readonly Column[],
  all: readonly Change[],
): Promise<ReadonlyMap<string, MovedRow>> {
  const rows = all.map(({ order, changes }) => ({ ...changes, order_id: order.id, at_step: order.step }));
  const { teamId, environment } = work.tenant;
  const parameters = [JSON.stringify(rows), teamId, environment];
  const changed = await executeOn<MovedRow>(work.tx, { sql: textOf(columns), parameters });
  return new Map(changed.rows.map((row) => [row.id, row]));
}

const texts = new Map<string, string>();

/** Made once for the columns, so that it is prepared once as well. */
function textOf(columns: readonly Column[]): string {
  const key = columns.join();
  const known = texts.get(key);
  if (known !== undefined) return known;
  const text = `update lab_order as o
    set ${columns.map((column) => `${column} = new.${column}`).join(', ')}
    from json_to_recordset($1::json)
      as new (order_id uuid, at_step text${columns.map((column) => `, ${column} ${LISTED[column]}`).join('')})
    where o.team_id = $2 and o.environment = $3 and o.id = new.order_id and o.step = new.at_step
    returning ${MOVABLE.map((column) => `o.${column}`).join(', ')}`;
  texts.set(key, text);
  return text;
}
