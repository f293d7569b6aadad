import { sql } from 'kysely';
import { asSystem, type Db } from '../src/platform/db/transact.ts';
import type { Tx } from '../src/platform/db/database.ts';

const TIMEOUT_DIVISOR = 60;

/**
 * Simulates a process that stalls inside a transaction after `first`, without closing its connection. The idle timeout
 * of the transaction is divided by sixty; no timeout stays none.
 */
export function stallInTransaction(db: Db, first: (tx: Tx) => Promise<unknown>) {
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  let reached = (_restMs: number) => {};
  const stopped = new Promise<number>((resolve) => (reached = resolve));
  const ended = asSystem(db, async (tx) => {
    await first(tx);
    const { rows } = await sql<{ rest: number }>`select setting::int as rest,
      set_config(name, (setting::int / ${TIMEOUT_DIVISOR}::int)::text, true)
      from pg_settings where name = 'idle_in_transaction_session_timeout'`.execute(tx);
    reached(rows[0]?.rest ?? 0);
    await resumed;
  }).then(
    () => 'committed' as const,
    () => 'undone' as const,
  );
  return {
    /** The original idle-in-transaction timeout in milliseconds; 0 means none. */
    stopped,
    /** Resumes the process; resolves to the outcome of its transaction. */
    resume: () => {
      resume();
      return ended;
    },
  };
}
