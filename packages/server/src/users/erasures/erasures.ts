import { createHash } from 'node:crypto';
import type { App } from '../../app.ts';
import { SERVICE_ACTOR, writeAuditEntry } from '../../identity/management/management.ts';
import { isoTimestamp, later } from '../../platform/clock.ts';
import { withSystemRole } from '../../platform/db/system-role.ts';
import type { Work } from '../../platform/work.ts';
import * as store from './store.ts';

export { USER_TABLES, type UserTable } from './user-tables.ts';
export { countRows, isOfUser } from './store.ts';
export { erasureRoutes } from './routes.ts';

/** What is known before an erasure, because afterwards nothing is left to count. */
interface ErasureInventory {
  readonly erased: readonly { table: string; rows: number }[];
  readonly remaining: Awaited<ReturnType<typeof store.findRemaining>>;
}

export const takeInventory = async (work: Work, userId: string): Promise<ErasureInventory> => ({
  erased: await store.countRows(work, userId),
  remaining: await store.findRemaining(work, userId),
});

interface FinishedErasure {
  readonly userId: string;
  readonly inventory: ErasureInventory;
  readonly beganAt: Date;
  readonly requestedAt: Date;
  /** The kind and id of the credential that deleted the user; null for deletions by earlier versions. */
  readonly requestedBy: { kind: string; id: string } | null;
}

/**
 * Leaves the certificate of an erasure, in its transaction, with its digest in the audit log. It contains nothing about
 * the person but the id.
 */
export async function writeCertificate(app: App, work: Work, done: FinishedErasure): Promise<void> {
  const { userId, requestedBy, inventory } = done;
  const at = app.clock.now();
  const finishedAt = later(at, work.clockOffsetMs);
  const document = JSON.stringify({
    version: 1,
    user_id: userId,
    requested_at: isoTimestamp(done.requestedAt),
    requested_by: requestedBy,
    began_at: isoTimestamp(done.beganAt),
    finished_at: isoTimestamp(finishedAt),
    erased: inventory.erased,
    kept: describeKept(inventory),
  });
  const digest = createHash('sha256').update(document).digest('hex');
  await withSystemRole(work.tx, async () => {
    const row = { about_user: userId, finished_at: finishedAt, document, digest };
    const orgId = await store.insertCertificate(work.tx, work.tenant, row);
    await writeAuditEntry(work.tx, {
      ...SERVICE_ACTOR,
      orgId,
      ...work.tenant,
      action: 'user.erased',
      subject: userId,
      after: { sha256: digest },
      at,
    });
  });
}

const describeKept = ({ remaining }: ErasureInventory) => [
  {
    what: 'access_log',
    count: remaining.access_log_lines,
    why: 'Who read or changed the data: ids and operations, no values. Kept for the retention of the access log.',
  },
  {
    what: 'request_log',
    count: null,
    why: 'The paths of requests with ids, no values. Deleted after at most 90 days.',
  },
  {
    what: 'audit_log',
    count: null,
    why: 'Changes of settings and the digest of this certificate. It contains nothing about patients.',
  },
  {
    what: 'unassigned_reports',
    count: remaining.unassigned_reports,
    why: 'Encrypted reports of laboratories for which an order of the user was only a candidate.',
  },
  {
    what: 'pending_withdrawals',
    count: null,
    why: 'Ids of orders that are being cancelled at laboratories, for at most about a month.',
  },
  ...remaining.laboratories.map(({ lab, orders }) => ({
    what: `laboratory:${lab}`,
    count: orders,
    why: 'Orders that the laboratory may have received. What it keeps is outside of this service.',
  })),
];

const ANSWERS_AT_ONCE = 200;
const ANSWER_CONTEXT = 'idempotency_record.answer';

/**
 * Deletes the responses stored for idempotency keys that name the user or an order of the user: those of bookings are
 * stored for longer than the grace period. No response about a user is newer than the deletion.
 */
export async function forgetStoredResponses(
  work: Work,
  { userId, deletedAt }: { userId: string; deletedAt: Date },
): Promise<void> {
  const ids = [userId, ...(await store.listOrderIds(work, userId))];
  let after: Awaited<ReturnType<typeof store.listStoredAnswers>>[number] | undefined;
  for (;;) {
    const page = { until: deletedAt, after, limit: ANSWERS_AT_ONCE };
    const answers = await store.listStoredAnswers(work, page);
    const about = answers.filter(({ answer }) => {
      const text = work.cipher.open(answer, ANSWER_CONTEXT);
      return ids.some((id) => text.includes(id));
    });
    await store.deleteStoredAnswers(work, about);
    if (answers.length < ANSWERS_AT_ONCE) return;
    after = answers.at(-1);
  }
}
