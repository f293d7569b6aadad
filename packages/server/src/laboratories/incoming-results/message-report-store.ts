import { sql } from 'kysely';
import type { ReceivedReport } from '../../adapters/lab-network/port.ts';
import type { Work } from '../../platform/work.ts';
import { deserializeReport } from './report-serialization.ts';
import { DOCUMENT_SEAL_CONTEXT } from './store.ts';

/** A report with the id of its stored message. */
interface MessageReport {
  readonly messageId: string;
  readonly report: ReceivedReport;
}

/** The reports attached to the orders of a user. */
export async function listMessageReportsOfUser(
  { tx, tenant, cipher }: Work,
  userId: string,
): Promise<MessageReport[]> {
  const rows = await tx
    .selectFrom('incoming_result as r')
    .innerJoin('lab_order as o', (join) =>
      join
        .onRef('o.team_id', '=', 'r.team_id')
        .onRef('o.environment', '=', 'r.environment')
        .onRef('o.id', '=', 'r.order_id'),
    )
    .select(['r.message_id', 'r.document'])
    .where('r.team_id', '=', tenant.teamId)
    .where('r.environment', '=', tenant.environment)
    .where('o.user_id', '=', userId)
    .execute();
  return rows.map((row) => ({
    messageId: row.message_id,
    report: deserializeReport(cipher.open(row.document, DOCUMENT_SEAL_CONTEXT)),
  }));
}

/** Whether a report of the message awaits a review decision. */
export async function hasUndecidedReport({ tx, tenant }: Work, messageId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('incoming_result')
    .select(sql`1`.as('one'))
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('review_opened_at', 'is not', null)
    .where('status', 'in', ['pending_customer_review', 'pending_ops_review'])
    .where('message_id', '=', messageId)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}
