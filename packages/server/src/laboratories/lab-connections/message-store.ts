import { sql, type Selectable, type Updateable } from 'kysely';
import type { Database } from '../../platform/db/database.ts';
import { tenantColumns } from '../../platform/db/tenant-rows.ts';
import { deferrableUpdate } from '../../platform/db/update-row.ts';
import { newId } from '../../platform/ids.ts';
import { defer, type Work } from '../../platform/work.ts';
import type { LabMessageStatus } from './status.ts';
import type { LabMessageDirection } from './table.ts';

export type LabMessageRow = Selectable<Database['lab_message']>;
/** The columns of lists: everything except the body and the digest. */
export type LabMessageFacts = Omit<LabMessageRow, 'body' | 'digest' | 'team_id' | 'environment'>;

// prettier-ignore
const FACT_COLUMNS = [
  'id', 'connection_id', 'direction', 'format', 'way', 'status', 'control_id', 'message_type', 'size_bytes', 'reason',
  'answer', 'attempts', 'due_at', 'order_id', 'kind', 'placer', 'created_at', 'done_at',
  'redacted_at', 'redaction',
] as const;

const selectMessages = ({ tx, tenant }: Work) =>
  tx
    .selectFrom('lab_message')
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment);

interface LabMessageFilter {
  readonly connectionId: string;
  readonly status: LabMessageStatus | undefined;
  readonly direction: LabMessageDirection | undefined;
  /** The last message of the previous page. */
  readonly after: string | undefined;
  readonly limit: number;
}

/** Newest first. */
export function listMessages(work: Work, filter: LabMessageFilter): Promise<LabMessageFacts[]> {
  let query = selectMessages(work).where('connection_id', '=', filter.connectionId);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.direction) query = query.where('direction', '=', filter.direction);
  if (filter.after) query = query.where('id', '<', filter.after);
  return query.select(FACT_COLUMNS).orderBy('id', 'desc').limit(filter.limit).execute();
}

export const findMessage = (
  work: Work,
  at: { connectionId: string; id: string },
): Promise<LabMessageRow | undefined> =>
  selectMessages(work)
    .where('connection_id', '=', at.connectionId)
    .where('id', '=', at.id)
    .selectAll()
    .executeTakeFirst();

/** Serializes the processing of a connection's messages, so that corrections follow what they correct. */
export async function lockProcessing({ tx, tenant }: Work, connectionId: string): Promise<void> {
  const lock = `lab-messages/${tenant.teamId}/${tenant.environment}/${connectionId}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(tx);
}

/** A message that waits for processing, without its body. */
export type WaitingMessage = Pick<LabMessageRow, (typeof WAITING_COLUMNS)[number]>;

const WAITING_COLUMNS = ['id', 'connection_id', 'format', 'attempts', 'created_at'] as const;

/** The due waiting messages, in the order of arrival. */
export const listWaitingMessages = (
  work: Work,
  connectionId: string,
  limit: number,
): Promise<WaitingMessage[]> =>
  selectMessages(work)
    .where('connection_id', '=', connectionId)
    .where('status', '=', 'stored')
    .where((row) => row.or([row('due_at', 'is', null), row('due_at', '<=', work.now)]))
    .select(WAITING_COLUMNS)
    .orderBy('id')
    .limit(limit)
    .execute();

/** The sealed bodies of some messages. */
export async function readBodies(work: Work, ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  if (ids.length === 0) return new Map();
  const rows = await selectMessages(work)
    .where('id', '=', sql<string>`any(${[...ids]}::uuid[])`)
    .select(['id', 'body'])
    .execute();
  return new Map(rows.map(({ id, body }) => [id, body]));
}

/** Updates a message; deferred to the next statement of the transaction. */
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
  defer(
    work,
    deferrableUpdate('lab_message', { set: changes, where: { ...tenantColumns(work.tenant), id } }),
  );
}

export interface ProcessedMessage {
  readonly id: string;
  /** The order to which all of its reports were attached; null if there is no single one. */
  readonly orderId: string | null;
}

/** Marks messages as processed. Uses arrays, because a join could scan all messages of the tenant. */
export async function recordProcessed(
  { tx, tenant, now }: Work,
  taken: readonly ProcessedMessage[],
): Promise<void> {
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

/** Counts a failed attempt to send a message, with its reason. */
export async function recordSendAttempt({ tx, tenant }: Work, id: string, reason: string): Promise<void> {
  await tx
    .updateTable('lab_message')
    .set((row) => ({ attempts: row('attempts', '+', 1), reason }))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .execute();
}

/** Updates a waiting message; false if another worker has already counted a failure. */
export async function postponeMessage(
  { tx, tenant }: Work,
  { id, attempts }: Pick<LabMessageRow, 'id' | 'attempts'>,
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

/** The ids of sent orders, by placer number. */
export async function findOrdersByPlacer(
  work: Work,
  placers: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (placers.length === 0) return new Map();
  const rows = await selectMessages(work)
    .where('direction', '=', 'out')
    .where('placer', '=', sql<string>`any(${[...placers]}::text[])`)
    .select(['placer', 'order_id'])
    .execute();
  return new Map(rows.flatMap(({ placer, order_id: id }) => (placer && id ? [[placer, id] as const] : [])));
}

type OrderMessageKind = 'new' | 'cancel';

export const findOrderMessage = (
  work: Work,
  { orderId, kind }: { orderId: string; kind: OrderMessageKind },
): Promise<LabMessageRow | undefined> =>
  selectMessages(work)
    .where('direction', '=', 'out')
    .where('order_id', '=', orderId)
    .where('kind', '=', kind)
    .selectAll()
    .executeTakeFirst();

/** The cancellation of an order that was erased. */
export const findCancellation = (
  work: Work,
  { connectionId, controlId }: { connectionId: string; controlId: string },
): Promise<LabMessageRow | undefined> =>
  selectMessages(work)
    .where('connection_id', '=', connectionId)
    .where('direction', '=', 'out')
    .where('control_id', '=', controlId)
    .selectAll()
    .executeTakeFirst();

export type OutgoingMessage = Pick<
  LabMessageRow,
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

/** Replaces a message that must be sent again; the new one is queued as if it had never been sent. */
export function replaceMessage(
  work: Work,
  id: string,
  { control_id, digest, body, size_bytes }: OutgoingMessage,
): void {
  const anew = { status: 'queued', reason: null, answer: null, attempts: 0, done_at: null } as const;
  const set = { ...anew, control_id, digest, body, size_bytes, created_at: work.now };
  defer(work, deferrableUpdate('lab_message', { set, where: { ...tenantColumns(work.tenant), id } }));
}

/** Stores a message before it is sent; undefined if a concurrent worker has stored one. */
export async function insertOutgoingMessage(
  work: Work,
  message: OutgoingMessage,
): Promise<string | undefined> {
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
