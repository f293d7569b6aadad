import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isAway } from '../db/transact.ts';

const PAUSE_MS = 250;
/** The code of a failed serialization: the queue asks again, soon at first and later every few seconds. */
const ASK_AGAIN = '40001';

/**
 * A pool for the queue that outlasts a database which goes away. The queue marks a job as done without looking at what
 * becomes of the mark: it asks again after a few codes, and any other error would end the process. And a mark that was
 * given up would leave the job, and all that waits behind it, locked for hours. So a connection is waited for until it
 * is there, and one that breaks, or a server that is full, is told by a code after which the queue asks again.
 */
export function enduringPool(pool: pg.Pool, stopping: AbortSignal): pg.Pool {
  const open = async (): Promise<pg.PoolClient> => {
    for (;;) {
      try {
        return enduring(await pool.connect());
      } catch (error) {
        if (stopping.aborted || pool.ending) throw askAgain(error);
        await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => {});
      }
    }
  };
  // With a callback it is opened to listen, for which the queue has a patience of its own.
  const connect = (listen?: Parameters<pg.Pool['connect']>[0]) => (listen ? pool.connect(listen) : open());
  return standIn(pool, 'connect', connect);
}

function enduring(client: pg.PoolClient): pg.PoolClient {
  const query = async (...asked: [pg.QueryConfig]) => {
    try {
      return await client.query(...asked);
    } catch (error) {
      throw isAway(error) ? askAgain(error) : error;
    }
  };
  return standIn(client, 'query', query);
}

const askAgain = (cause: unknown): Error =>
  Object.assign(new Error('The database is away', { cause }), { code: ASK_AGAIN });

/** The same thing, but for one of its functions. */
function standIn<T extends object>(thing: T, name: keyof T, own: (...args: never[]) => unknown): T {
  return new Proxy(thing, {
    get(target, key) {
      if (key === name) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
