import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { changeRow } from '../../platform/db/update-row.ts';
import { newId } from '../../platform/ids.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { MessageStatus } from './status.ts';
import type { Direction } from './table.ts';

export type MessageRow = Selectable<Database['lab_message']>;
/** What a list shows: everything but the body and the digest. */
export type MessageFacts = Omit<MessageRow, 'body' | 'digest' | 'team_id' | 'environment'>;

// prettier-ignore
const FACTS = [
  'id', 'connection_id', 'direction', 'format', 'way', 'status', 'control_id', 'message_type', 'size_bytes', 'reason',
  'answer', 'attempts', 'due_at', 'order_id', 'kind', 'placer', 'created_at', 'done_at',
  'redacted_at', 'redaction',
] as const;

const messages = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('lab_message')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

export interface MessageFilter {
  readonly connectionId: string;
  readonly status: MessageStatus | undefined;
  readonly direction: Direction | undefined;
  /** The message after which the page begins. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export function listMessages(work: Work, filter: MessageFilter): Promise<MessageFacts[]> {
  let query = messages(work).where('connection_id', '=', filter.connectionId);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.direction) query = query.where('direction', '=', filter.direction);
  if (filter.after) query = query.where('id', '<', filter.after);
  return query.select(FACTS).orderBy('id', 'desc').limit(filter.limit).execute();
}

export const findMessage = (
  work: Work,
  at: { connectionId: string; id: string },
): Promise<MessageRow | undefined> =>
  messages(work)
    .where('connection_id', '=', at.connectionId)
    .where('id', '=', at.id)
    .selectAll()
    .executeTakeFirst();

/** Makes those who take the messages of a connection follow each other: corrections come after what they correct. */
export async function lockTaking({ tx, tenant }: Work, connectionId: string): Promise<void> {
  const lock = `lab-messages/${tenant.teamId}/${tenant.environment}/${connectionId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** A message that waits to be taken, without its body. */
export type WaitingMessage = Pick<MessageRow, (typeof WAITING)[number]>;

const WAITING = ['id', 'connection_id', 'format', 'attempts', 'created_at'] as const;

/** Those that wait and are due, in the order in which they came. */
export const listWaiting = (work: Work, connectionId: string, limit: number): Promise<WaitingMessage[]> =>
  messages(work)
    .where('connection_id', '=', connectionId)
    .where('status', '=', 'stored')
    .where((row) => row.or([row('due_at', 'is', null), row('due_at', '<=', work.now)]))
    .select(WAITING)
    .orderBy('id')
    .limit(limit)
    .execute();

/** The sealed bodies of some messages. */
export async function readBodies(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  if (ids.length === 0) return new Map();
  const rows = await messages(work)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .select(['id', 'body'])
    .execute();
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** What became of a message; written with the next statement, since nobody waits for it. */
export function changeMessage(
  work: Work,
  id: string,
  changes: Pick<
    Updateable<Database['lab_message']>,
    | 'status'
    | 'reason'
    | 'answer'
    | 'attempts'
    | 'due_at'
    | 'order_id'
    | 'done_at'
    | 'body'
    | 'size_bytes'
    | 'redacted_at'
    | 'redaction'
  >,
): void {
  defer(work, changeRow('lab_message', { set: changes, where: { ...tenantColumns(work.tenant), id } }));
}

export interface TakenMessage {
  readonly id: string;
  /** The order that has all of its reports. */
  readonly orderId: string | null;
}

/** Writes down that these messages are taken. Joined, they might be looked for in all that the tenant ever received. */
export async function markTaken({ tx, tenant, now }: Work, taken: readonly TakenMessage[]): Promise<void> {
  const ids = taken.map(({ id }) => id);
  const orders = taken.map(({ orderId }) => orderId);
  await tx
    .updateTable('lab_message')
    .set({
      status: 'taken',
      reason: null,
      due_at: null,
      done_at: now,
      order_id: sql<string | null>`(${orders}::uuid[])[array_position(${ids}::uuid[], id)]`,
    })
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute();
}

/** Notes that a message could not be sent once more, and why. */
export async function noteTry({ tx, tenant }: Work, id: string, reason: string): Promise<void> {
  await tx
    .updateTable('lab_message')
    .set((row) => ({ attempts: row('attempts', '+', 1), reason }))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .execute();
}

/** Changes a message that waits, unless another worker that failed at it as well was quicker; false then. */
export async function putOff(
  { tx, tenant }: Work,
  { id, attempts }: Pick<MessageRow, 'id' | 'attempts'>,
  changes: Pick<Updateable<Database['lab_message']>, 'status' | 'reason' | 'attempts' | 'due_at' | 'done_at'>,
): Promise<boolean> {
  const row = await tx
    .updateTable('lab_message')
    .set(changes)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', '=', 'stored')
    .where('attempts', '=', attempts)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The orders that went out under these placer numbers. */
export async function findPlaced(
  work: Work,
  placers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (placers.length === 0) return new Map();
  const rows = await messages(work)
    .where('direction', '=', 'out')
    .where('placer', '=', sql<string>`any(${[...placers]}::text[])`)
    .select(['placer', 'order_id'])
    .execute();
  return new Map(rows.flatMap(({ placer, order_id: id }) => (placer && id ? [[placer, id] as const] : [])));
}

export type OrderKind = 'new' | 'cancel';

export const findOrderMessage = (
  work: Work,
  { orderId, kind }: { orderId: string; kind: OrderKind },
): Promise<MessageRow | undefined> =>
  messages(work)
    .where('direction', '=', 'out')
    .where('order_id', '=', orderId)
    .where('kind', '=', kind)
    .selectAll()
    .executeTakeFirst();

/** The cancellation of an order that is erased here. */
export const findCancellation = (
  work: Work,
  { connectionId, controlId }: { connectionId: string; controlId: string },
): Promise<MessageRow | undefined> =>
  messages(work)
    .where('connection_id', '=', connectionId)
    .where('direction', '=', 'out')
    .where('control_id', '=', controlId)
    .selectAll()
    .executeTakeFirst();

export type OutgoingMessage = Pick<
  MessageRow,
  | 'connection_id'
  | 'way'
  | 'control_id'
  | 'message_type'
  | 'digest'
  | 'size_bytes'
  | 'body'
  | 'order_id'
  | 'kind'
  | 'placer'
>;

/** Puts a message in the place of one that is to be told again: it is as if it had just been kept, and never sent. */
export function renewMessage(
  work: Work,
  id: string,
  { control_id, digest, body, size_bytes }: OutgoingMessage,
): void {
  const anew = { status: 'queued', reason: null, answer: null, attempts: 0, done_at: null } as const;
  const set = { ...anew, control_id, digest, body, size_bytes, created_at: work.now };
  defer(work, changeRow('lab_message', { set, where: { ...tenantColumns(work.tenant), id } }));
}

/** Keeps a message before it is sent; undefined when another kept one meanwhile. */
export async function insertOutgoing(work: Work, message: OutgoingMessage): Promise<string | undefined> {
  const row = await work.tx
    .insertInto('lab_message')
    .values({
      ...tenantColumns(work.tenant),
      ...message,
      id: newId(),
      direction: 'out',
      format: 'hl7',
      status: 'queued',
      reason: null,
      answer: null,
      due_at: null,
      created_at: work.now,
      done_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}
