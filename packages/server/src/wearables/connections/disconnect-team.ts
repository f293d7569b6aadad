import { z } from 'zod';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { removeConnections } from './remove.ts';
import * as store from './store.ts';

const BATCH_SIZE = 200;

/** Removes all connections of a deleted team. */
export const disconnectTeam = defineJob({
  name: 'wearables.disconnect_team',
  input: z.object({}),
  canWait: true,
  async run(app: App, tenant) {
    while ((await inTenant(app, tenant, disconnectBatch)) === BATCH_SIZE);
  },
});

async function disconnectBatch(work: Work): Promise<number> {
  const some = await store.listBatch(work, BATCH_SIZE);
  await removeConnections(work, some);
  return some.length;
}

/** Delayed by a minute: other nodes accept the team's keys for seconds, and connects in progress must finish first. */
export const scheduleTeamDisconnect = (work: Work): Promise<void> =>
  setTimer(work, disconnectTeam, { key: 'team', dueAt: later(work.now, MINUTE), input: {} });
