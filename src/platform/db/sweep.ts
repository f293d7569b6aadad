import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../log.ts';
import { startLoop, type Loop } from '../jobs/loop.ts';
import type { Bell } from '../jobs/bell.ts';
import { unlessMigrating } from './migration-lock.ts';

/*
 * The server keeps statistics of each column, and in them some of its values. Those of a column that a migration dropped
 * are deleted with it, but may be sealed or gone everywhere else, and a deleted row stays in the files until it is swept
 * out. That can be done once nobody has a view of the database that is older than the deletion: not another node in the
 * middle of a query, not a dump, not the server's own analysis of a table, and not whoever writes at that moment, even in
 * another database of the server. On a busy server there is always somebody, so those have to be waited for that were
 * there at the deletion: who came later does not stand in the way.
 *
 * A table says that sweeping is due. A row is deleted from it too, later than the statistics: when that one can be swept
 * out, they can.
 */
const DUE = 'public.statistics_sweep';
const LOOK_EVERY_MS = 30_000;
/** The usual transactions end within this; for who takes longer it is tried again at the next look. */
const PATIENCE = { tries: 40, everyMs: 50 };

/** To be called before whatever may drop columns: from then on sweeping is due, also for who starts after a kill. */
export const makeSweepDue = async (pool: pg.Pool): Promise<void> =>
  void (await pool.query(`create table if not exists ${DUE} (due boolean)`));

/**
 * Sweeps if that is due and can be done now; answers whether nothing is left to sweep. Nobody else may sweep or migrate
 * meanwhile. `pool` belongs to the owner of the tables and is not pipelined.
 */
export async function sweepStatistics(pool: pg.Pool): Promise<boolean> {
  if (!(await isSweepDue(pool))) return true;
  await pool.query(`insert into ${DUE} values (true)`);
  await pool.query(`delete from ${DUE}`);
  for (let n = 1; n <= PATIENCE.tries; n += 1) {
    if (await canSweep(pool)) {
      await pool.query('vacuum full pg_statistic');
      await pool.query(`drop table ${DUE}`);
      return true;
    }
    await sleep(PATIENCE.everyMs);
  }
  return false;
}

/** Whether the row that was deleted from the mark can be swept out, and so whatever was deleted before it. */
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

/** Sweeps as soon as it can be done, where it could not be done while migrating. */
export const startSweeping = (on: { bell: Bell; log: Log }, pool: pg.Pool): Loop =>
  startLoop(on, {
    name: 'statistics-sweep',
    everyMs: LOOK_EVERY_MS,
    round: async () => {
      if (await isSweepDue(pool)) await unlessMigrating(pool, () => sweepStatistics(pool));
      return false;
    },
  });
