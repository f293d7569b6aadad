import { sql } from 'kysely';
import type { Work } from '../../platform/work.ts';
import type { ConnectionRow } from './connection.ts';
import type { MessageRow } from './message-store.ts';

/** A message with what has to be known of its connection to read it. */
export type SharedMessage = Pick<MessageRow, 'id' | 'format' | 'body' | 'created_at'> &
  Pick<ConnectionRow, 'lab' | 'account_number' | 'time_zone'>;

/** What was taken, is of no single order, and has something left. */
const shared = ({ tx, tenant }: Work) =>
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

/** Those that came under these control ids, as repeats do. */
export async function listNamesakes(
  work: Work,
  { controlIds, labs }: Record<'controlIds' | 'labs', readonly string[]>,
): Promise<string[]> {
  const rows = await shared(work)
    .select('m.id')
    .where('m.control_id', '=', sql<string>`any(${[...controlIds]}::text[])`)
    .where('c.lab', '=', sql<string>`any(${[...labs]}::text[])`)
    .execute();
  return rows.map(({ id }) => id);
}

/** One after the other, so that two who forget users of the same messages do not wait for each other. */
export const lockShared = (work: Work, ids: readonly string[]): Promise<SharedMessage[]> =>
  shared(work)
    .select(['m.id', 'm.format', 'm.body', 'm.created_at', 'c.lab', 'c.account_number', 'c.time_zone'])
    .where('m.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .orderBy('m.id')
    .forUpdate('m')
    .execute();
