import { sql } from 'kysely';
import { asSystem, type Db } from '../src/platform/db/transact.ts';
import type { Tx } from '../src/platform/db/database.ts';

const FASTER = 60;

/**
 * A process that is stopped within a transaction, after `first`, and closes no connection. The time for which it may
 * rest passes sixty times as fast; what has no end goes on without one.
 */
export function stopWithin(db: Db, first: (tx: Tx) => Promise<unknown>) {
  let resume = () => {};
  const resumed = new Promise<void>((resolve) => (resume = resolve));
  let reached = (_restMs: number) => {};
  const stopped = new Promise<number>((resolve) => (reached = resolve));
  const ended = asSystem(db, async (tx) => {
    await first(tx);
    const { rows } = await sql<{ rest: number }>`select setting::int as rest,
      set_config(name, (setting::int / ${FASTER}::int)::text, true)
      from pg_settings where name = 'idle_in_transaction_session_timeout'`.execute(tx);
    reached(rows[0]?.rest ?? 0);
    await resumed;
  }).then(
    () => 'committed' as const,
    () => 'undone' as const,
  );
  return {
    /** For how many milliseconds it could rest if time went on as always; 0 is for ever. */
    stopped,
    /** It runs again, and what became of its transaction. */
    resume: () => {
      resume();
      return ended;
    },
  };
}
