import type pg from 'pg';

const LOCK = "hashtextextended('aliquot.migrate', 0)";

/** Runs under the migration lock, which excludes migrations and sweeps on all nodes. Waits for the lock. */
export const withMigrationLock = <T>(pool: pg.Pool, run: () => Promise<T>): Promise<T> =>
  withLockSession(pool, async (guard) => {
    await guard.query(`select pg_advisory_lock(${LOCK})`);
    return run();
  });

/** The same if the lock is free; otherwise does nothing. */
export const tryWithMigrationLock = (pool: pg.Pool, run: () => Promise<unknown>): Promise<void> =>
  withLockSession(pool, async (guard) => {
    const { rows } = await guard.query<{ got: boolean }>(`select pg_try_advisory_lock(${LOCK}) as got`);
    if (rows[0]?.got) await run();
  });

async function withLockSession<T>(pool: pg.Pool, run: (guard: pg.PoolClient) => Promise<T>): Promise<T> {
  const guard = await pool.connect();
  try {
    return await run(guard);
  } finally {
    // Ending the session releases the lock even if unlocking fails.
    guard.release(true);
  }
}
