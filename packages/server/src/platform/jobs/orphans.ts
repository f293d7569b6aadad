import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SECOND } from '../clock.ts';
import { SET_TCP_KEEPALIVES } from '../db/keepalive.ts';
import type { Log } from '../log.ts';
import type { Notifier } from './notifier.ts';
import { startLoop, type Loop } from './loop.ts';

const CHECK_INTERVAL_MS = 5 * SECOND;
const RECONNECT_MS = SECOND;

/** A running process holds this lock by a session that ends with the process or its machine. */
const lockOf = (name: string) => `hashtextextended('aliquot-jobs/' || ${name}, 0)`;

/**
 * A killed process leaves its running jobs, and their named queues, locked for four hours, after which the queue
 * unlocks them. This unlocks them as soon as the process is known to be dead. The five seconds give a starting process,
 * or one that reconnects, time to take its lock.
 */
const UNLOCK = `
  select graphile_worker.force_unlock_workers(array_agg(dead.locked_by)) as done, count(*)::int as count
  from (
    select distinct locked_by from graphile_worker.jobs where locked_at < now() - interval '5 seconds'
  ) as dead
  where dead.locked_by <> all($1::text[]) and pg_try_advisory_xact_lock(${lockOf('dead.locked_by')})
  having count(*) > 0`;

/** Marks these worker names as alive, and unlocks the jobs of dead processes. */
export async function startOrphanRecovery(
  on: { notifier: Notifier; log: Log },
  pool: pg.Pool,
  names: readonly string[],
): Promise<{ stop(): Promise<void> }> {
  let stopped = false;
  let alive: pg.Client | undefined;
  const live = async (): Promise<void> => {
    const client = new pg.Client(pool.options);
    client.on('error', () => {});
    client.on('end', () => void again());
    await client.connect();
    await client.query(SET_TCP_KEEPALIVES);
    await client.query(`select pg_advisory_lock(${lockOf('name')}) from unnest($1::text[]) as name`, [names]);
    if (stopped) return client.end();
    alive = client;
  };
  // A failing connection both rejects and ends; only one of them reconnects.
  let isOpening = false;
  const again = async (): Promise<void> => {
    alive = undefined;
    if (isOpening) return;
    isOpening = true;
    while (!stopped && !alive) {
      await sleep(RECONNECT_MS);
      if (!stopped) await live().catch(() => {});
    }
    isOpening = false;
  };
  await live();
  const look = async () => {
    const { rows } = await pool.query<{ count: number }>(UNLOCK, [names]);
    if (rows[0])
      on.log.warn({ processes: rows[0].count }, 'unlocked jobs of dead processes; they will run again');
    return false;
  };
  const loop: Loop = startLoop(on, { name: 'orphans', everyMs: CHECK_INTERVAL_MS, iterate: look });
  return {
    stop: async () => {
      stopped = true;
      await loop.stop();
      await alive?.end().catch(() => {});
    },
  };
}
