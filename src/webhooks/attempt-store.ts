import { sql, type Selectable } from 'kysely';
import { ofDeletedUser, type EventRow } from '../events/events.ts';
import type { Database } from '../platform/db/database.ts';
import type { Work } from '../platform/work.ts';
import './table.ts';

type EventColumns = Pick<Selectable<Database['event']>, 'event_type' | 'user_id' | 'client_user_id' | 'data'>;

/** An attempt that is written by itself, with what is told of its event. */
export type AttemptRow = Selectable<Database['webhook_attempt']> & EventColumns;

export interface AttemptPage {
  readonly endpointId: string;
  /** The moment and the id of the last attempt that was read. */
  readonly before: { at: Date; id: string } | null;
  readonly limit: number;
  /** Only the attempts of this event. */
  readonly eventId?: string | undefined;
  readonly status?: 'success' | 'failure' | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** What was said of a deleted user is not there, as the user is not. */
const attempts = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('webhook_attempt as a')
    .innerJoin('event as e', (join) =>
      join
        .onRef('e.team_id', '=', 'a.team_id')
        .onRef('e.environment', '=', 'a.environment')
        .onRef('e.id', '=', 'a.event_id'),
    )
    .selectAll('a')
    .select(['e.event_type', 'e.user_id', 'e.client_user_id', 'e.data'])
    .where('a.team_id', '=', tenant.teamId)
    .where('a.environment', '=', tenant.environment)
    .where(({ not }) => not(ofDeletedUser('e')));

/** Attempts of one endpoint, the newest first. */
export async function listAttempts(work: Work, page: AttemptPage): Promise<AttemptRow[]> {
  const { endpointId, before, limit, eventId, status, since, until } = page;
  let query = attempts(work).where('a.endpoint_id', '=', endpointId);
  if (eventId !== undefined) query = query.where('a.event_id', '=', eventId);
  if (status === 'success') query = query.where('a.error', 'is', null);
  if (status === 'failure') query = query.where('a.error', 'is not', null);
  if (since) query = query.where('a.at', '>=', since);
  if (until) query = query.where('a.at', '<', until);
  if (before)
    query = query.where(sql<boolean>`(a.at, a.id) < (${before.at}::timestamptz, ${before.id}::uuid)`);
  return query.orderBy('a.at', 'desc').orderBy('a.id', 'desc').limit(limit).execute();
}

export const findAttempt = (
  work: Work,
  { endpointId, id }: { endpointId: string; id: string },
): Promise<AttemptRow | undefined> =>
  attempts(work).where('a.endpoint_id', '=', endpointId).where('a.id', '=', id).executeTakeFirst();

/** The types of the events that attempts are about, but for those about a deleted user. */
export const listAttempted = (
  work: Work,
  ids: readonly string[],
): Promise<{ id: string; event_type: string }[]> =>
  attempted(work, ids).select(['e.id', 'e.event_type']).execute();

export const findAttempted = (work: Work, id: string): Promise<EventRow | undefined> =>
  attempted(work, [id])
    .select(['e.team_id', 'e.event_type', 'e.user_id', 'e.client_user_id', 'e.data'])
    .executeTakeFirst();

const attempted = ({ tx, tenant }: Work, ids: readonly string[]) =>
  tx
    .selectFrom('event as e')
    .where('e.team_id', '=', tenant.teamId)
    .where('e.environment', '=', tenant.environment)
    .where('e.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where(({ not }) => not(ofDeletedUser('e')));
