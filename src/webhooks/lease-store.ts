import { sql } from 'kysely';
import type { Tx } from '../platform/db/database.ts';
import './table.ts';

/**
 * One claim at a time, over all senders: each sees what the one before it has taken. Who stops in the middle, and does
 * not even close its connection, is put out. Nobody waits until a lease is on the disk: a crash ends it anyway.
 */
export async function lockClaims(tx: Tx): Promise<void> {
  await sql`select set_config('idle_in_transaction_session_timeout', '10s', true),
    set_config('synchronous_commit', 'off', true),
    pg_advisory_xact_lock(hashtextextended('aliquot.webhooks.claim', 0))`.execute(tx);
}

export const endLease = async (tx: Tx, sender: string): Promise<void> =>
  void (await tx.deleteFrom('webhook_lease').where('sender', '=', sender).execute());

/** Of senders that were killed. */
export const removeEndedLeases = async (tx: Tx, now: Date): Promise<void> =>
  void (await tx.deleteFrom('webhook_lease').where('leased_until', '<', now).execute());
