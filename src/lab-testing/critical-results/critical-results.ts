import { listMailStates } from '../../mail/mail.ts';
import { DomainError, found, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { clearTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { getOrder } from '../orders/orders.ts';
import { escalate } from './escalate.ts';
import {
  EMAIL_REASONS,
  emailKey,
  type CriticalResult,
  type CriticalRow,
  type Notification,
} from './record.ts';
import type { CriticalResultQuery, RecordNotification, RecordReadBack } from './schema.ts';
import { canBecome } from './status.ts';
import * as store from './store.ts';

// Critical results, who was told of them, and whether they read them back.

/** A critical result of the tenant, or a 404. */
export async function getCriticalResult(work: Work, id: string): Promise<CriticalResult> {
  const [whole] = await withNews(work, [found(await store.findCritical(work, id), KIND)]);
  return found(whole, KIND);
}

const KIND = 'Critical result';

/** A page of them, the newest first; 422 for a cursor that is not one of this list. */
export async function listCriticalResults(
  work: Work,
  { status, limit, next_cursor: cursor }: CriticalResultQuery,
): Promise<{ data: CriticalResult[]; next_cursor: string | null }> {
  const after = cursor ? readCursor(cursor) : undefined;
  const rows = await store.listCritical(work, { status: status ?? undefined, limit: limit + 1, after });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { data: await withNews(work, page), next_cursor: last ? cursorOf(last) : null };
}

/** Those of one order, oldest first; 404 where there is no such order. */
export async function listOfOrder(work: Work, orderId: string): Promise<CriticalResult[]> {
  await getOrder(work, orderId);
  return withNews(work, await store.listOfOrder(work, orderId));
}

async function lockShown(work: Work, id: string): Promise<CriticalRow> {
  found(await store.findCritical(work, id), KIND);
  return found(await store.lockCritical(work, id), KIND);
}

/** A record of more is no record of one result. */
const NOTIFICATIONS_MAX = 100;

/** Writes down that somebody was told. It may be told of again after it was acknowledged. */
export async function recordNotification(
  work: Work,
  id: string,
  said: RecordNotification,
): Promise<CriticalResult> {
  const record = await lockShown(work, id);
  const before = await store.listNotifications(work, [id]);
  if (before.length >= NOTIFICATIONS_MAX)
    throw new DomainError('bad_request', `A critical result has at most ${NOTIFICATIONS_MAX} notifications`);
  await store.insertNotification(work, {
    critical_result_id: id,
    id: newId(),
    channel: said.channel,
    notified_at: momentOf(work, said.notified_at, 'notified_at'),
    private: {
      recipientName: said.recipient_name,
      recipientRole: said.recipient_role ?? null,
      notifiedBy: said.notified_by ?? null,
      notes: said.notes ?? null,
    },
  });
  await store.moveCritical(work, id, {});
  return getCriticalResult(work, record.id);
}

/**
 * Writes down whether who was told read it back. True acknowledges the critical result; false leaves it as it is.
 * 409 where nobody was told, or that notification has its answer already.
 */
export async function recordReadBack(work: Work, id: string, said: RecordReadBack): Promise<CriticalResult> {
  const record = await lockShown(work, id);
  const told = waiting(await store.listNotifications(work, [id]), said.notification_id ?? undefined);
  const at = momentOf(work, said.read_back_at, 'read_back_at');
  if (at.getTime() < told.notified_at.getTime())
    throw invalidField(['body', 'read_back_at'], `expected a moment after notified_at`);
  await store.answerNotification(work, told, {
    read_back: said.read_back,
    read_back_at: at,
    private: {
      ...told.private,
      saidBack: said.said_back ?? null,
      verifiedBy: said.verified_by ?? null,
      readBackNotes: said.notes ?? null,
    },
  });
  await settle(work, record, said.read_back);
  return getCriticalResult(work, id);
}

async function settle(work: Work, { id, status }: CriticalRow, isReadBack: boolean): Promise<void> {
  if (!isReadBack || !canBecome(status, 'acknowledged')) return store.moveCritical(work, id, {});
  await store.moveCritical(work, id, { status: 'acknowledged', acknowledged_at: work.now });
  await clearTimer(work, escalate, id);
}

function waiting(told: readonly Notification[], id: string | undefined): Notification {
  if (id === undefined) {
    const last = told.findLast(({ read_back }) => read_back === null);
    if (last) return last;
    throw new DomainError('conflict', 'No notification waits for a read-back; record one first');
  }
  const one = found(
    told.find((each) => each.id === id.toLowerCase()),
    'Notification',
  );
  if (one.read_back !== null)
    throw new DomainError('conflict', 'This notification has its read-back; record another notification');
  return one;
}

/** Clocks of two machines differ a little. */
const AHEAD_MAX_MS = 60_000;

function momentOf({ now }: Work, given: string | null | undefined, field: string): Date {
  if (given === null || given === undefined) return now;
  const moment = new Date(given);
  if (moment.getTime() > now.getTime() + AHEAD_MAX_MS)
    throw invalidField(['body', field], 'expected a moment that is not in the future');
  return moment;
}

async function withNews(work: Work, rows: readonly CriticalRow[]): Promise<CriticalResult[]> {
  const ids = rows.map(({ id }) => id);
  const keys = ids.flatMap((id) => EMAIL_REASONS.map((reason) => emailKey(id, reason)));
  const [told, mails] = await Promise.all([store.listNotifications(work, ids), listMailStates(work, keys)]);
  const states = new Map(mails.map((mail) => [mail.key, mail]));
  return rows.map((row) => ({
    ...row,
    notifications: told.filter((each) => each.critical_result_id === row.id),
    emails: EMAIL_REASONS.flatMap((reason) => {
      const mail = states.get(emailKey(row.id, reason));
      return mail ? [{ reason, status: mail.status, settled_at: mail.settled_at }] : [];
    }),
  }));
}

const cursorOf = ({ detected_at: at, id }: CriticalRow): string =>
  Buffer.from(`${at.toISOString()}/${id}`).toString('base64url');

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(text: string): { detectedAt: Date; id: string } {
  const [, at = '', id = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const detectedAt = new Date(at);
  if (id === '' || Number.isNaN(detectedAt.getTime()))
    throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
  return { detectedAt, id };
}
