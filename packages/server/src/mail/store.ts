import { tenantColumns } from '../platform/db/tenant-rows.ts';
import type { Work } from '../platform/work.ts';
import type { MailStatus } from './table.ts';
import './table.ts';

const MESSAGE_CONTEXT = 'mail.message';

/** False when a mail with this key exists. */
export async function insertMail(work: Work, key: string, message: object): Promise<boolean> {
  const inserted = await work.tx
    .insertInto('mail')
    .values({
      ...tenantColumns(work.tenant),
      key,
      status: 'waiting',
      message: work.cipher.seal(JSON.stringify(message), MESSAGE_CONTEXT),
      attempts: 0,
      due_at: work.now,
      failure: null,
      created_at: work.now,
      settled_at: null,
    })
    .onConflict((conflict) => conflict.columns(['team_id', 'environment', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst();
  return inserted !== undefined;
}

export interface LeasedMail {
  readonly message: unknown;
  /** The number of this attempt, from 1. */
  readonly attempt: number;
}

/** Leases the mail until `until`, if it is waiting and not leased. */
export async function leaseMail(work: Work, key: string, until: Date): Promise<LeasedMail | undefined> {
  const row = await work.tx
    .updateTable('mail')
    .set((eb) => ({ due_at: until, attempts: eb('attempts', '+', 1) }))
    .where('team_id', '=', work.tenant.teamId)
    .where('environment', '=', work.tenant.environment)
    .where('key', '=', key)
    .where('status', '=', 'waiting')
    .where('due_at', '<=', work.now)
    .returning(['message', 'attempts'])
    .executeTakeFirst();
  if (!row?.message) return undefined;
  return { message: JSON.parse(work.cipher.open(row.message, MESSAGE_CONTEXT)), attempt: row.attempts };
}

export const delayMail = (work: Work, key: string, { until, failure }: { until: Date; failure: string }) =>
  updateWaitingMail(work, key, { due_at: until, failure });

/** Also deletes the content and the address. */
export const settleMail = (
  work: Work,
  key: string,
  { status, failure = null }: { status: 'sent' | 'failed'; failure?: string | null },
) => updateWaitingMail(work, key, { status, failure, message: null, settled_at: work.now });

async function updateWaitingMail(
  { tx, tenant }: Work,
  key: string,
  changes: Partial<{
    status: MailStatus;
    failure: string | null;
    message: null;
    due_at: Date;
    settled_at: Date;
  }>,
): Promise<void> {
  await tx
    .updateTable('mail')
    .set(changes)
    .where('team_id', '=', tenant.teamId)
    .where('environment', '=', tenant.environment)
    .where('key', '=', key)
    .where('status', '=', 'waiting')
    .execute();
}

interface MailState {
  readonly key: string;
  readonly status: MailStatus;
  readonly attempts: number;
  readonly settled_at: Date | null;
}

/** The states of these mails; unknown keys are omitted. */
export const listMailStates = ({ tx, tenant }: Work, keys: readonly string[]): Promise<MailState[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : tx
        .selectFrom('mail')
        .select(['key', 'status', 'attempts', 'settled_at'])
        .where('team_id', '=', tenant.teamId)
        .where('environment', '=', tenant.environment)
        .where('key', 'in', [...keys])
        .execute();
