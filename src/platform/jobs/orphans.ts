import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { SECOND } from '../clock.ts';
import { ENDS_WITH_ITS_PEER } from '../db/keepalive.ts';
import type { Log } from '../log.ts';
import type { Bell } from './bell.ts';
import { startLoop, type Loop } from './loop.ts';

const LOOK_EVERY_MS = 5 * SECOND;
const RECONNECT_MS = SECOND;

/** Of a process that is alive this lock is held, by a session that ends with it, however it or its machine ends. */
const lockOf = (name: string) => `hashtextextended('aliquot-jobs/' || ${name}, 0)`;

/**
 * A process that is killed leaves the jobs that it was at locked, and the named queues that they are in, for the four
 * hours after which the queue itself gives them up. What was locked a while ago by somebody who lives no more is
 * unlocked here. Somebody who has just begun, or whose session is being opened again, has the while for it.
 */
const UNLOCK = `
  select graphile_worker.force_unlock_workers(array_agg(dead.locked_by)) as done, count(*)::int as count
  from (
    select locked_by from graphile_worker._private_jobs where locked_at < now() - interval '5 seconds'
    union
    select locked_by from graphile_worker._private_job_queues where locked_at < now() - interval '5 seconds'
  ) as dead
  where dead.locked_by <> all($1::text[]) and pg_try_advisory_xact_lock(${lockOf('dead.locked_by')})
  having count(*) > 0`;

/** Says that the jobs of these names have somebody who does them, and looks for those of others that have nobody. */
export async function tendOrphans(
  on: { bell: Bell; log: Log },
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
    await client.query(ENDS_WITH_ITS_PEER);
    await client.query(`select pg_advisory_lock(${lockOf('name')}) from unnest($1::text[]) as name`, [names]);
    if (stopped) return client.end();
    alive = client;
  };
  // A connection that fails both rejects and ends; one of them opens the next.
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
    if (rows[0]) on.log.warn({ processes: rows[0].count }, 'jobs of processes that are gone are done again');
    return false;
  };
  const loop: Loop = startLoop(on, { name: 'orphans', everyMs: LOOK_EVERY_MS, round: look });
  return {
    stop: async () => {
      stopped = true;
      await loop.stop();
      await alive?.end().catch(() => {});
    },
  };
}
