import { HOUR } from '../clock.ts';
import { asSystem } from '../db/transact.ts';
import { startLoop, type Loop } from '../jobs/loop.ts';
import type { Platform } from '../work.ts';
import { removeExpired } from './idempotency-store.ts';

const BATCH = 5000;

/** Removes the kept answers whose time is over, once an hour. One that expired is not replayed even before. */
export const startIdempotencyCleaner = (app: Platform): Loop =>
  startLoop(app, {
    name: 'idempotency-cleaner',
    everyMs: HOUR,
    round: async () => (await asSystem(app.db, (tx) => removeExpired(tx, app.clock.now(), BATCH))) === BATCH,
  });
