import { HOUR } from '../clock.ts';
import { asSystem } from '../db/transact.ts';
import { startLoop, type Loop } from '../jobs/loop.ts';
import type { Platform } from '../work.ts';
import { removeExpired } from './idempotency-store.ts';

const BATCH = 5000;

/** Removes expired stored responses once an hour. An expired response is not replayed even before its removal. */
export const startIdempotencyCleaner = (app: Platform): Loop =>
  startLoop(app, {
    name: 'idempotency-cleaner',
    everyMs: HOUR,
    iterate: async () =>
      (await asSystem(app.db, (tx) => removeExpired(tx, app.clock.now(), BATCH))) === BATCH,
  });
