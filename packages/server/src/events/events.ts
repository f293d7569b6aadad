import type { z } from 'zod';
import { serializerOf } from '../platform/http/serializer.ts';
import type { Database } from '../platform/db/database.ts';
import { insertRow } from '../platform/db/insert-row.ts';
import { currentTraceparent } from '../platform/telemetry/telemetry.ts';
import { newId } from '../platform/ids.ts';
import { defer, type Platform, type Work } from '../platform/work.ts';
import type { Tenant } from '../platform/tenant.ts';
import type { Insertable, Selectable } from 'kysely';

export { removeOldEvents } from './remove-old-store.ts';
export { isOfDeletedUser } from './deleted-user-store.ts';
export { eventOfMessage, messageId } from './message-id.ts';
export { matchesEventType, validateEventType } from './event-type-filter.ts';

/** A type of event: a dotted name in the past tense, which is part of the interface, and the schema of its data. */
export interface EventType<S extends z.ZodType = z.ZodType> {
  readonly type: string;
  readonly data: S;
  /** One sentence on when it is sent; docs/reference/events.md is generated from it. */
  readonly when: string;
}

export const defineEvent = <S extends z.ZodType>(event: EventType<S>): EventType<S> => event;

/** The user that an event is about, as in the envelope. */
export interface EventSubject {
  readonly userId: string | null;
  readonly clientUserId: string | null;
}

/** An event with its position in the log; the payload is not included. */
export interface SequencedEvent {
  readonly tenant: Tenant;
  readonly id: string;
  readonly type: string;
  readonly position: number;
  readonly userId: string | null;
  readonly createdAt: Date;
}

/** Receives all events in batches, inside the fan-out transaction that assigns their positions. */
export interface EventHandler<A extends Platform> {
  readonly name: string;
  readonly handle: (app: A, tx: Work['tx'], events: readonly SequencedEvent[]) => Promise<void>;
}

const DATA_CONTEXT = 'event.data';

/**
 * Writes an event in the transaction of the change that it reports (transactional outbox). Once committed it is never
 * lost, because the fan-out reads the rows. The data are serialized by the schema of the event type; tests also
 * validate them, so an invalid payload fails where it is emitted. Production payloads are checked later, by
 * payload-check.ts.
 */
export async function emit<S extends z.ZodType>(
  work: Work,
  event: EventType<S>,
  { subject, data }: { subject: EventSubject; data: z.input<S> },
): Promise<void> {
  defer(work, insertRow('event', toEventRow(work, event, { subject, data })));
  work.wakeups.add('events');
}

/** The row of an event with its data serialized and sealed; once inserted, it waits for its position in the log. */
export function toEventRow<S extends z.ZodType>(
  work: Work,
  event: EventType<S>,
  { subject, data }: { subject: EventSubject; data: z.input<S> },
): Insertable<Database['event']> {
  const text = serializerOf(event.data)(data);
  return {
    team_id: work.tenant.teamId,
    environment: work.tenant.environment,
    id: newId(),
    event_type: event.type,
    user_id: subject.userId,
    client_user_id: subject.clientUserId,
    data: work.cipher.seal(text, DATA_CONTEXT),
    created_at: work.now,
    traceparent: currentTraceparent() ?? null,
    request_id: work.requestId ?? null,
  };
}

/** The body of an event as it is sent: the envelope around the stored data. */
export function serializeEventBody(work: Pick<Work, 'cipher'>, row: EventRow): string {
  const head = {
    event_type: row.event_type,
    team_id: row.team_id,
    user_id: row.user_id,
    client_user_id: row.client_user_id,
  };
  const { event_type, ...rest } = head;
  const data = work.cipher.open(row.data, DATA_CONTEXT);
  return `{"event_type":${JSON.stringify(event_type)},"data":${data},${JSON.stringify(rest).slice(1)}`;
}

/** The stored data of an event, without the envelope. */
export const openEventData = ({ cipher }: Pick<Work, 'cipher'>, { data }: Pick<EventRow, 'data'>): unknown =>
  JSON.parse(cipher.open(data, DATA_CONTEXT));

export type EventRow = Pick<
  Selectable<Database['event']>,
  'event_type' | 'team_id' | 'user_id' | 'client_user_id' | 'data'
>;
