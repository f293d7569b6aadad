import { listMailStates } from '../../mail/mail.ts';
import { DomainError, requireFound, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { clearTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { getOrder } from '../../ordering/orders/orders.ts';
import { escalate } from './escalate.ts';
import {
  EMAIL_REASONS,
  toEmailKey,
  type CriticalResult,
  type CriticalResultRow,
  type CriticalResultNotification,
} from './record.ts';
import type { CriticalResultQuery, RecordNotificationBody, RecordReadBackBody } from './schema.ts';
import { canBecome } from './status.ts';
import * as store from './store.ts';

export { hasUnconfirmedCriticalValues } from './unconfirmed.ts';

// Critical results, their notifications and the read-backs of these notifications.

/** A critical result of the tenant, or a 404. */
export async function getCriticalResult(work: Work, id: string): Promise<CriticalResult> {
  const [whole] = await withNotifications(work, [
    requireFound(await store.findCriticalResult(work, id), RESOURCE_NAME),
  ]);
  return requireFound(whole, RESOURCE_NAME);
}

const RESOURCE_NAME = 'Critical result';

/** A page, newest first; 422 for an invalid cursor. */
export async function listCriticalResults(
  work: Work,
  { status, limit, next_cursor: cursor }: CriticalResultQuery,
): Promise<{ data: CriticalResult[]; next_cursor: string | null }> {
  const after = cursor ? decodeCursor(cursor) : undefined;
  const rows = await store.listCriticalResults(work, {
    status: status ?? undefined,
    limit: limit + 1,
    after,
  });
  const page = rows.slice(0, limit);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { data: await withNotifications(work, page), next_cursor: last ? encodeCursor(last) : null };
}

/** The critical results of one order, oldest first; 404 for an unknown order. */
export async function listCriticalResultsOfOrder(work: Work, orderId: string): Promise<CriticalResult[]> {
  await getOrder(work, orderId);
  return withNotifications(work, await store.listOfOrder(work, orderId));
}

/** Whether any critical result of the user has not been read back, whichever order it is of. */
export const hasOpenCriticalResults = (work: Work, userId: string): Promise<boolean> =>
  store.existsOpenOfUser(work, userId);

async function lockVisible(work: Work, id: string): Promise<CriticalResultRow> {
  requireFound(await store.findCriticalResult(work, id), RESOURCE_NAME);
  return requireFound(await store.lockCriticalResult(work, id), RESOURCE_NAME);
}

/** Per critical result. */
const NOTIFICATIONS_MAX = 100;

/** Records that a person was notified. Further notifications are allowed after the acknowledgement. */
export async function recordNotification(
  work: Work,
  id: string,
  said: RecordNotificationBody,
): Promise<CriticalResult> {
  const record = await lockVisible(work, id);
  const before = await store.listNotifications(work, [id]);
  if (before.length >= NOTIFICATIONS_MAX)
    throw new DomainError('bad_request', `A critical result has at most ${NOTIFICATIONS_MAX} notifications`);
  await store.insertNotification(work, {
    critical_result_id: id,
    id: newId(),
    channel: said.channel,
    notified_at: parseTimestamp(work, said.notified_at, 'notified_at'),
    private: {
      recipientName: said.recipient_name,
      recipientRole: said.recipient_role ?? null,
      notifiedBy: said.notified_by ?? null,
      notes: said.notes ?? null,
    },
  });
  await store.updateCriticalResult(work, id, {});
  return getCriticalResult(work, record.id);
}

/**
 * Records whether the notified person read the result back correctly. True acknowledges the critical result; false
 * leaves its status unchanged. 409 without a notification, or if the notification already has a read-back.
 */
export async function recordReadBack(
  work: Work,
  id: string,
  said: RecordReadBackBody,
): Promise<CriticalResult> {
  const record = await lockVisible(work, id);
  const told = findAwaitingReadBack(
    await store.listNotifications(work, [id]),
    said.notification_id ?? undefined,
  );
  const at = parseTimestamp(work, said.read_back_at, 'read_back_at');
  if (at.getTime() < told.notified_at.getTime())
    throw invalidField(['body', 'read_back_at'], `expected a timestamp that is not before notified_at`);
  await store.recordNotificationReadBack(work, told, {
    read_back: said.read_back,
    read_back_at: at,
    private: {
      ...told.private,
      saidBack: said.said_back ?? null,
      verifiedBy: said.verified_by ?? null,
      readBackNotes: said.notes ?? null,
    },
  });
  await acknowledgeIfReadBack(work, record, said.read_back);
  return getCriticalResult(work, id);
}

async function acknowledgeIfReadBack(
  work: Work,
  { id, status }: CriticalResultRow,
  isReadBack: boolean,
): Promise<void> {
  if (!isReadBack || !canBecome(status, 'acknowledged')) return store.updateCriticalResult(work, id, {});
  await store.updateCriticalResult(work, id, { status: 'acknowledged', acknowledged_at: work.now });
  await clearTimer(work, escalate, id);
}

function findAwaitingReadBack(
  told: readonly CriticalResultNotification[],
  id: string | undefined,
): CriticalResultNotification {
  if (id === undefined) {
    const last = told.findLast(({ read_back }) => read_back === null);
    if (last) return last;
    throw new DomainError('conflict', 'No notification awaits a read-back; record a notification first');
  }
  const one = requireFound(
    told.find((each) => each.id === id.toLowerCase()),
    'Notification',
  );
  if (one.read_back !== null)
    throw new DomainError(
      'conflict',
      'This notification already has a read-back; record another notification first',
    );
  return one;
}

/** Tolerated clock skew. */
const CLOCK_SKEW_MAX_MS = 60_000;

function parseTimestamp({ now }: Work, given: string | null | undefined, field: string): Date {
  if (given === null || given === undefined) return now;
  const moment = new Date(given);
  if (moment.getTime() > now.getTime() + CLOCK_SKEW_MAX_MS)
    throw invalidField(['body', field], 'expected a timestamp that is not in the future');
  return moment;
}

async function withNotifications(work: Work, rows: readonly CriticalResultRow[]): Promise<CriticalResult[]> {
  const ids = rows.map(({ id }) => id);
  const keys = ids.flatMap((id) => EMAIL_REASONS.map((reason) => toEmailKey(id, reason)));
  const [told, mails] = await Promise.all([store.listNotifications(work, ids), listMailStates(work, keys)]);
  const states = new Map(mails.map((mail) => [mail.key, mail]));
  return rows.map((row) => ({
    ...row,
    notifications: told.filter((each) => each.critical_result_id === row.id),
    emails: EMAIL_REASONS.flatMap((reason) => {
      const mail = states.get(toEmailKey(row.id, reason));
      return mail ? [{ reason, status: mail.status, settled_at: mail.settled_at }] : [];
    }),
  }));
}

const encodeCursor = ({ detected_at: at, id }: CriticalResultRow): string =>
  Buffer.from(`${at.toISOString()}/${id}`).toString('base64url');

const CURSOR = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function decodeCursor(text: string): { detectedAt: Date; id: string } {
  const [, at = '', id = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString()) ?? [];
  const detectedAt = new Date(at);
  if (id === '' || Number.isNaN(detectedAt.getTime()))
    throw invalidField(['query', 'next_cursor'], 'expected a next_cursor of this list');
  return { detectedAt, id };
}
