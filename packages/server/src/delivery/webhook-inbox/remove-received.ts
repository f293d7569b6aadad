import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import { DAY, later } from '../../platform/clock.ts';
import { defineJob, type Job } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { removeReceivedBefore } from './store.ts';

/** How long a sandbox keeps what it received, by its own clock. */
const KEPT_MS = 7 * DAY;
const TIMER_KEY = 'received';
const NoInput = z.object({});

/** Removes what arrived seven days ago, and sets the timer for the oldest request of the rest. */
export const removeReceived: Job<App, z.output<typeof NoInput>> = defineJob({
  name: 'webhook-inbox.remove_received',
  input: NoInput,
  canWait: true,
  isMaintenance: true,
  run: (app: App, tenant) =>
    inTenant(app, tenant, async (work) => {
      const oldest = await removeReceivedBefore(work, later(work.now, -KEPT_MS));
      if (oldest) await setTimer(work, removeReceived, removalTimer(oldest));
    }),
});

/** The timer of a request that arrived at this time. An earlier one stays. */
export const removalTimer = (receivedAt: Date) => ({
  key: TIMER_KEY,
  dueAt: later(receivedAt, KEPT_MS),
  input: {},
  yields: true,
});
