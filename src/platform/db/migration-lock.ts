import type pg from 'pg';

const LOCK = "hashtextextended('aliquot.migrate', 0)";

/** Runs while nobody else migrates or sweeps, on any node: it waits for its turn. */
export const asMigrator = <T>(pool: pg.Pool, run: () => Promise<T>): Promise<T> =>
  guarded(pool, async (guard) => {
    await guard.query(`select pg_advisory_lock(${LOCK})`);
    return run();
  });

/** The same where it would be its turn at once; else nothing. */
export const unlessMigrating = (pool: pg.Pool, run: () => Promise<unknown>): Promise<void> =>
  guarded(pool, async (guard) => {
    const { rows } = await guard.query<{ got: boolean }>(`select pg_try_advisory_lock(${LOCK}) as got`);
    if (rows[0]?.got) await run();
  });

async function guarded<T>(pool: pg.Pool, run: (guard: pg.PoolClient) => Promise<T>): Promise<T> {
  const guard = await pool.connect();
  try {
    return await run(guard);
  } finally {
    // Ending the session frees the lock even where unlocking would fail.
    guard.release(true);
  }
}
