import type { App } from '../../app.ts';
import { audited, type Acting } from '../../management/management.ts';
import { DomainError, found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { lookAgain } from '../orders/orders.ts';
import { findConnection } from './connection-store.ts';
import * as store from './message-store.ts';
import { openBody } from './sealed.ts';
import { enqueueTaking } from './taking-job.ts';

export interface MessageName {
  readonly connectionId: string;
  readonly id: string;
}

/** A message with its bytes, or a 404. */
export async function readMessage(
  work: Work,
  name: MessageName,
): Promise<{ row: store.MessageRow; body: Buffer }> {
  const row = found(await store.findMessage(work, name), 'Lab message');
  return { row, body: openBody(work.cipher, row.body) };
}

/**
 * Has a dead message taken, or a refused one sent, once more. 409 for one that is done, and for one that is under way
 * by itself.
 */
export const retryMessage = (app: App, acting: Acting, name: MessageName): Promise<store.MessageRow> =>
  audited(app, acting, async (work) => {
    const row = found(await store.findMessage(work, name), 'Lab message');
    if (row.status === 'dead') await takeAgain(work, row);
    else if (row.status === 'refused') await sendAgain(work, row);
    else throw new DomainError('conflict', `The message is ${row.status}: expected dead or refused`);
    const after = found(await store.findMessage(work, name), 'Lab message');
    const told = ({ status, reason }: store.MessageRow) => ({ status, reason });
    const deed = { action: 'retry_lab_message', subject: row.id, before: told(row), after: told(after) };
    return { value: after, deed };
  });

async function takeAgain(work: Work, row: store.MessageRow): Promise<void> {
  const { connection_id } = row;
  store.changeMessage(work, row.id, { status: 'stored', attempts: 0, due_at: null, done_at: null });
  await enqueueTaking(work.tx, work.tenant, connection_id);
}

/** The order is looked at anew, and its message is written anew, under the same control id. */
async function sendAgain(work: Work, row: store.MessageRow): Promise<void> {
  // Nobody knows any more what would be written anew.
  if (row.order_id === null) throw new DomainError('conflict', 'The order of the message is erased');
  store.changeMessage(work, row.id, { status: 'queued', attempts: 0, answer: null, done_at: null });
  const connection = await findConnection(work, row.connection_id);
  await lookAgain(work, { orderId: row.order_id, lab: connection?.lab, dueAt: work.now });
}
