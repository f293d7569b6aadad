import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { tryWithMigrationLock } from './migration-lock.ts';

/*
 * PostgreSQL keeps statistics of each column, including sample values. The statistics of a dropped column are deleted
 * with it, but its values may be encrypted or erased everywhere else, and a deleted row stays in the files until it is
 * vacuumed. That is possible once no transaction has a snapshot older than the deletion: no query of another node, no
 * dump, no ANALYZE, and no writer, even in another database of the server. On a busy server there is always one, so
 * only those present at the deletion are waited for.
 *
 * A marker table says that a sweep is due. A row is deleted from it after the statistics: when that row can be
 * vacuumed, the statistics can, too.
 */
const DUE = 'public.statistics_sweep';
/** Most transactions end within this time. Otherwise the next check of the sweep loop tries again. */
const RETRY = { tries: 40, everyMs: 50 };

/** Call before a change that may drop columns: from then on a sweep is due, also after a crash. */
export const markSweepDue = async (pool: pg.Pool): Promise<void> =>
  void (await pool.query(`create table if not exists ${DUE} (due boolean)`));

/**
 * Sweeps if that is due and possible. Returns whether nothing is left to sweep. The caller holds the migration lock.
 * `pool` belongs to the table owner and is not pipelined.
 */
export async function sweepStatistics(pool: pg.Pool): Promise<boolean> {
  if (!(await isSweepDue(pool))) return true;
  await pool.query(`insert into ${DUE} values (true)`);
  await pool.query(`delete from ${DUE}`);
  for (let n = 1; n <= RETRY.tries; n += 1) {
    if (await canSweep(pool)) {
      await pool.query('vacuum full pg_statistic');
      await pool.query(`drop table ${DUE}`);
      return true;
    }
    await sleep(RETRY.everyMs);
  }
  return false;
}

/** Whether the deleted marker row can be vacuumed, and so everything deleted before it. */
async function canSweep(pool: pg.Pool): Promise<boolean> {
  await pool.query(`vacuum full ${DUE}`);
  const { rows } = await pool.query<{ isEmpty: boolean }>(
    `select pg_relation_size('${DUE}') = 0 as "isEmpty"`,
  );
  return rows[0]?.isEmpty === true;
}

async function isSweepDue(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query<{ is: boolean }>('select to_regclass($1) is not null as is', [DUE]);
  return rows[0]?.is === true;
}

/** Retries a sweep that was not possible during the migration, unless another node holds the migration lock. */
export async function retrySweep(pool: pg.Pool): Promise<void> {
  if (await isSweepDue(pool)) await tryWithMigrationLock(pool, () => sweepStatistics(pool));
}
