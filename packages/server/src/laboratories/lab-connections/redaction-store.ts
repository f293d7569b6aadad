import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import type { LabConnectionRow } from './connection.ts';
import type { LabMessageRow } from './message-store.ts';

/** A message with the connection settings that are needed to parse it. */
export type SharedMessage = Pick<LabMessageRow, 'id' | 'format' | 'body' | 'created_at'> &
  Pick<LabConnectionRow, 'lab' | 'account_number' | 'time_zone'>;

/** Processed messages without a single order that still have a body. */
const selectShared = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('lab_message as m')
    .innerJoin('lab_connection as c', (join) =>
      join
        .onRef('c.team_id', '=', 'm.team_id')
        .onRef('c.environment', '=', 'm.environment')
        .onRef('c.id', '=', 'm.connection_id'),
    )
    .where('m.team_id', '=', tenant.teamId)
    .where('m.environment', '=', tenant.environment)
    .where('m.direction', '=', 'in')
    .where('m.status', '=', 'taken')
    .where('m.order_id', 'is', null)
    .where((row) => row.or([row('m.redaction', 'is', null), row('m.redaction', '=', 'parts')]));

/** Messages with these control ids, for example repeats. */
export async function listSharedByControlIds(
  work: Work,
  { controlIds, labs }: Record<'controlIds' | 'labs', readonly string[]>,
): Promise<string[]> {
  const rows = await selectShared(work)
    .select('m.id')
    .where('m.control_id', '=', sql<string>`any(${[...controlIds]}::text[])`)
    .where('c.lab', '=', sql<string>`any(${[...labs]}::text[])`)
    .execute();
  return rows.map(({ id }) => id);
}

/** Locks in id order, which avoids deadlocks between concurrent erasures. */
export const lockSharedMessages = (work: Work, ids: readonly string[]): Promise<SharedMessage[]> =>
  selectShared(work)
    .select(['m.id', 'm.format', 'm.body', 'm.created_at', 'c.lab', 'c.account_number', 'c.time_zone'])
    .where('m.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('m.id')
    .forUpdate('m')
    .execute();
