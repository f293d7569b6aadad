import type pg from 'pg';
import { retrySweep } from '../db/sweep.ts';
import type { Log } from '../log.ts';
import { startLoop, type Loop } from './loop.ts';
import type { Notifier } from './notifier.ts';

const CHECK_INTERVAL_MS = 30_000;

/** Retries the sweep of statistics (db/sweep.ts) until it was possible. */
export const startSweeping = (on: { notifier: Notifier; log: Log }, pool: pg.Pool): Loop =>
  startLoop(on, {
    name: 'statistics-sweep',
    everyMs: CHECK_INTERVAL_MS,
    iterate: async () => {
      await retrySweep(pool);
      return false;
    },
  });
