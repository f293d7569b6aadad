import type { Selectable } from 'kysely';
import type { Database } from '../platform/db/database.ts';
import type { Work } from '../platform/work.ts';

type Row = Selectable<Database['event']>;

/** Placed events after a position, in the order of the log. */
export function listEvents(
  { tx, tenant }: Work,
  page: { after: number; event_type?: string | undefined; limit: number },
): Promise<Row[]> {
  const type = page.event_type;
  return tx
    .selectFrom('event')
    .selectAll()
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('position', '>', page.after)
    .$if(type !== undefined && !type.endsWith('.*'), (q) => q.where('event_type', '=', type ?? ''))
    .$if(type?.endsWith('.*') === true, (q) => q.where('event_type', '^@' as 'like', (type ?? '').slice(0, -1)))
    .orderBy('position')
    .limit(page.limit)
    .execute();
}
