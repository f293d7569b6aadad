import type { z } from 'zod';
import { serializerOf } from '../platform/http/serializer.ts';
import type { Database } from '../platform/db/database.ts';
import { insertRow } from '../platform/db/insert-row.ts';
import { newId } from '../platform/ids.ts';
import { defer, type Platform, type Work } from '../platform/work.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Insertable, Selectable } from 'kysely';

export { ofDeletedUser } from './deleted-user-store.ts';
export { isNamed, unknownType } from './named-types.ts';

/** What may be said: a dotted name in the past tense, as callers see it, and the shape of its data. */
export interface EventType<S extends z.ZodType = z.ZodType> {
  readonly type: string;
  readonly data: S;
  /** One sentence: when it is sent. docs/events.md is printed from it. */
  readonly when: string;
}

export const defineEvent = <S extends z.ZodType>(event: EventType<S>): EventType<S> => event;

/** Whom an event is about, as the envelope names them. */
export interface Subject {
  readonly userId: string | null;
  readonly clientUserId: string | null;
}

/** An event that has its place in the log; `data` is the JSON text of its payload. */
export interface PlacedEvent {
  readonly tenant: Tenant;
  readonly id: string;
  readonly type: string;
  readonly position: number;
  readonly userId: string | null;
  readonly createdAt: Date;
}

/** Takes part in the fan-out: is told of every placed event, in batches, inside the transaction that places them. */
export interface Reaction<A extends Platform> {
  readonly name: string;
  readonly take: (app: A, tx: Work['tx'], events: readonly PlacedEvent[]) => Promise<void>;
}

const PLACE = 'event.data';

/**
 * Writes the event in the transaction of the change that it tells of. From the commit on it is never lost:
 * the row itself is what the fan-out works from. The data are printed as the event's schema names them; tests
 * parse them by it too, so that a payload that does not fit fails where it is made and not at a receiver. What
 * production sends is looked at afterwards, by payload-check.ts.
 */
export async function emit<S extends z.ZodType>(
  work: Work,
  event: EventType<S>,
  { subject, data }: { subject: Subject; data: z.input<S> },
): Promise<void> {
  defer(work, insertRow('event', eventRow(work, event, { subject, data })));
  work.rings.add('events');
}

/** The row of an event, its data printed and sealed; written as it is, it waits for its place in the log. */
export function eventRow<S extends z.ZodType>(
  work: Work,
  event: EventType<S>,
  { subject, data }: { subject: Subject; data: z.input<S> },
): Insertable<Database['event']> {
  const text = serializerOf(event.data)(data);
  return {
    team_id: work.tenant.teamId,
    environment: work.tenant.environment,
    id: newId(),
    event_type: event.type,
    user_id: subject.userId,
    client_user_id: subject.clientUserId,
    data: work.cipher.seal(text, PLACE),
    created_at: work.now,
  };
}

/** The body of an event as it goes over the wire: the envelope around the data that were written down. */
export function eventBody(work: Pick<Work, 'cipher'>, row: EventRow): string {
  const head = {
    event_type: row.event_type,
    team_id: row.team_id,
    user_id: row.user_id,
    client_user_id: row.client_user_id,
  };
  const { event_type, ...rest } = head;
  const data = work.cipher.open(row.data, PLACE);
  return `{"event_type":${JSON.stringify(event_type)},"data":${data},${JSON.stringify(rest).slice(1)}`;
}

/** The data of an event alone, as they were written down. */
export const eventData = ({ cipher }: Pick<Work, 'cipher'>, { data }: Pick<EventRow, 'data'>): unknown =>
  JSON.parse(cipher.open(data, PLACE));

export type EventRow = Pick<
  Selectable<Database['event']>,
  'event_type' | 'team_id' | 'user_id' | 'client_user_id' | 'data'
>;
