import { sql, type Selectable } from 'kysely';
import { isOfDeletedUser, type EventRow } from '../../events/events.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Work } from '../../platform/work.ts';
import './table.ts';

type AttemptEventColumns = Pick<
  Selectable<Database['event']>,
  'event_type' | 'user_id' | 'client_user_id' | 'data'
>;

/** An attempt that is stored as a row of its own, with its event. */
export type WebhookAttemptRow = Selectable<Database['webhook_attempt']> & AttemptEventColumns;

export interface WebhookAttemptPage {
  readonly endpointId: string;
  /** The timestamp and the id of the last attempt that was read. */
  readonly before: { at: Date; id: string } | null;
  readonly limit: number;
  /** Only the attempts of this event. */
  readonly eventId?: string | undefined;
  readonly status?: 'success' | 'failure' | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
}

/** Leaves out attempts about deleted users. */
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
    .where(({ not }) => not(isOfDeletedUser('e')));

/** Attempts of one endpoint, newest first. */
export async function listAttempts(work: Work, page: WebhookAttemptPage): Promise<WebhookAttemptRow[]> {
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
): Promise<WebhookAttemptRow | undefined> =>
  attempts(work).where('a.endpoint_id', '=', endpointId).where('a.id', '=', id).executeTakeFirst();

/** The types of events, without those about deleted users. */
export const listAttemptedEvents = (
  work: Work,
  ids: readonly string[],
): Promise<{ id: string; event_type: string }[]> =>
  attemptedEvents(work, ids).select(['e.id', 'e.event_type']).execute();

export const findAttemptedEvent = (work: Work, id: string): Promise<EventRow | undefined> =>
  attemptedEvents(work, [id])
    .select(['e.team_id', 'e.event_type', 'e.user_id', 'e.client_user_id', 'e.data'])
    .executeTakeFirst();

const attemptedEvents = ({ tx, tenant }: Work, ids: readonly string[]) =>
  tx
    .selectFrom('event as e')
    .where('e.team_id', '=', tenant.teamId)
    .where('e.environment', '=', tenant.environment)
    .where('e.id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .where(({ not }) => not(isOfDeletedUser('e')));
