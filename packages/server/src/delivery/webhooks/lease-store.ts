import { sql } from 'kysely';
import type { Tx } from '../../platform/db/database.ts';
import './table.ts';

/**
 * Allows one claim at a time across all senders, so that each sees what the previous one has leased. A sender that
 * hangs inside its transaction is disconnected. Lease commits are asynchronous: a crash ends the leases anyway.
 */
export async function lockClaims(tx: Tx): Promise<void> {
  await sql`select set_config('idle_in_transaction_session_timeout', '10s', true),
    set_config('synchronous_commit', 'off', true),
    pg_advisory_xact_lock(hashtextextended('aliquot.webhooks.claim', 0))`.execute(tx);
}

export const endLease = async (tx: Tx, sender: string): Promise<void> =>
  void (await tx.deleteFrom('webhook_lease').where('sender', '=', sender).execute());

/** Removes the leases of killed senders. */
export const removeEndedLeases = async (tx: Tx, now: Date): Promise<void> =>
  void (await tx.deleteFrom('webhook_lease').where('leased_until', '<', now).execute());
