import type { Selectable } from 'kysely';
import type { Database, Tx } from '../../platform/db/database.ts';

type ListenerColumn = (typeof LISTENER_COLUMNS)[number];
/** A connection with what it holds of the MLLP listeners, and its organization. */
export type ListenerRow = Pick<Selectable<Database['lab_connection']>, ListenerColumn> & {
  org_id: string;
  team_deleted_at: Date | null;
};

// prettier-ignore
const LISTENER_COLUMNS = [
  'team_id', 'environment', 'id', 'lab', 'name', 'inbound', 'enabled', 'deleted_at', 'listener_port', 'shared_listener',
  'lab_application', 'lab_facility', 'our_application', 'our_facility',
] as const;

const selectListeners = (tx: Tx) =>
  tx
    .selectFrom('lab_connection as c')
    .innerJoin('team', 'team.id', 'c.team_id')
    .select(LISTENER_COLUMNS.map((column) => `c.${column}` as const))
    .select(['team.org_id', 'team.deleted_at as team_deleted_at']);

/** The connections that hold a port, of all tenants; requires a system transaction. */
export const listPortHolders = (tx: Tx): Promise<ListenerRow[]> =>
  selectListeners(tx).where('c.listener_port', 'is not', null).orderBy('c.listener_port').execute();

/** The connections that hold a port or shared names, or receive by MLLP without either; requires a system transaction. */
export const listListenerHolders = (tx: Tx): Promise<ListenerRow[]> =>
  selectListeners(tx)
    .where((row) =>
      row.or([
        row('c.listener_port', 'is not', null),
        row('c.shared_listener', '=', true),
        row.and([row('c.inbound', '=', 'mllp'), row('c.deleted_at', 'is', null)]),
      ]),
    )
    .orderBy('c.id')
    .execute();

/** Connections that receive by MLLP and have no port of their own yet; requires a system transaction. */
export const listPortless = (tx: Tx): Promise<ListenerRow[]> =>
  selectListeners(tx)
    .where('c.inbound', '=', 'mllp')
    .where('c.deleted_at', 'is', null)
    .where('c.listener_port', 'is', null)
    .orderBy('c.id')
    .execute();

/** Locks a connection of any tenant; requires a system transaction. */
export const lockListener = (tx: Tx, id: string): Promise<ListenerRow | undefined> =>
  selectListeners(tx).where('c.id', '=', id).forUpdate('c').executeTakeFirst();

export async function updateListener(
  tx: Tx,
  { id, now }: { id: string; now: Date },
  changes: { listener_port?: number | null; shared_listener?: boolean },
): Promise<void> {
  await tx
    .updateTable('lab_connection')
    .set({ ...changes, updated_at: now })
    .where('id', '=', id)
    .execute();
}
