import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { isUnavailable } from '../db/transact.ts';

const PAUSE_MS = 250;
/** The code of a serialization failure: the queue retries it, soon at first and later every few seconds. */
const RETRY_CODE = '40001';

/**
 * A pool for the job queue that survives database outages. When the queue marks a job as done it retries only a few
 * error codes, and any other error would end the process. A mark that was given up would leave the job, and all that
 * follow it, locked for hours. So this pool waits until it gets a connection, and reports a broken one, or a full
 * server, with a code that the queue retries.
 */
export function createRetryingPool(pool: pg.Pool, stopping: AbortSignal): pg.Pool {
  const open = async (): Promise<pg.PoolClient> => {
    for (;;) {
      try {
        return retryingClient(await pool.connect());
      } catch (error) {
        if (stopping.aborted || pool.ending) throw retryableError(error);
        await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => {});
      }
    }
  };
  // With a callback the connection is for LISTEN, which the queue retries itself.
  const connect = (listen?: Parameters<pg.Pool['connect']>[0]) => (listen ? pool.connect(listen) : open());
  return overrideMethod(pool, 'connect', connect);
}

function retryingClient(client: pg.PoolClient): pg.PoolClient {
  const query = async (...asked: [pg.QueryConfig]) => {
    try {
      return await client.query(...asked);
    } catch (error) {
      throw isUnavailable(error) ? retryableError(error) : error;
    }
  };
  return overrideMethod(client, 'query', query);
}

const retryableError = (cause: unknown): Error =>
  Object.assign(new Error('The database is unavailable', { cause }), { code: RETRY_CODE });

/** The same object with one method replaced. */
function overrideMethod<T extends object>(thing: T, name: keyof T, own: (...args: never[]) => unknown): T {
  return new Proxy(thing, {
    get(target, key) {
      if (key === name) return own;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
