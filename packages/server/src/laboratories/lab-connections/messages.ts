import type { App } from '../../app.ts';
import { runAuditedChange, type TenantChangeContext } from '../../identity/management/management.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { scheduleRequisitionCheck } from '../../ordering/orders/orders.ts';
import { findConnection } from './connection-store.ts';
import * as store from './message-store.ts';
import { openBody } from './message-sealing.ts';
import { enqueueProcessing } from './processing-job.ts';

interface LabMessageKey {
  readonly connectionId: string;
  readonly id: string;
}

/** A message with its bytes, or a 404. */
export async function readMessage(
  work: Work,
  name: LabMessageKey,
): Promise<{ row: store.LabMessageRow; body: Buffer }> {
  const row = requireFound(await store.findMessage(work, name), 'Lab message');
  return { row, body: openBody(work.cipher, row.body) };
}

/**
 * Processes a dead message, or sends a refused one, again. 409 for any other status: those are done or are retried
 * automatically.
 */
export const retryMessage = (
  app: App,
  acting: TenantChangeContext,
  name: LabMessageKey,
): Promise<store.LabMessageRow> =>
  runAuditedChange(app, acting, async (work) => {
    const row = requireFound(await store.findMessage(work, name), 'Lab message');
    if (row.status === 'dead') await reprocess(work, row);
    else if (row.status === 'refused') await resend(work, row);
    else throw new DomainError('conflict', `The message is ${row.status}: expected dead or refused`);
    const after = requireFound(await store.findMessage(work, name), 'Lab message');
    const told = ({ status, reason }: store.LabMessageRow) => ({ status, reason });
    const deed = { action: 'retry_lab_message', subject: row.id, before: told(row), after: told(after) };
    return { value: after, deed };
  });

async function reprocess(work: Work, row: store.LabMessageRow): Promise<void> {
  const { connection_id } = row;
  store.changeMessage(work, row.id, { status: 'stored', attempts: 0, due_at: null, done_at: null });
  await enqueueProcessing(work.tx, work.tenant, connection_id);
}

/** Checks the order again and composes its message again, under the same control id. */
async function resend(work: Work, row: store.LabMessageRow): Promise<void> {
  // Without the order, the message cannot be composed again.
  if (row.order_id === null)
    throw new DomainError('conflict', 'The order of the message was erased; it cannot be sent again');
  store.changeMessage(work, row.id, { status: 'queued', attempts: 0, answer: null, done_at: null });
  const connection = await findConnection(work, row.connection_id);
  await scheduleRequisitionCheck(work, { orderId: row.order_id, lab: connection?.lab, dueAt: work.now });
}
