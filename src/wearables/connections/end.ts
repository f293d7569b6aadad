import { z } from 'zod';
import type { App } from '../../app.ts';
import { later, MINUTE } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { removeConnections } from './remove.ts';
import * as store from './store.ts';

const AT_ONCE = 200;

/** Takes everything from all users of a team that was deleted: nobody is read about any more. */
export const disconnectTeam = defineJob({
  name: 'wearables.disconnect_team',
  input: z.object({}),
  canWait: true,
  async run(app: App, tenant) {
    while ((await inTenant(app, tenant, disconnectSome)) === AT_ONCE);
  },
});

async function disconnectSome(work: Work): Promise<number> {
  const some = await store.listSome(work, AT_ONCE);
  await removeConnections(work, some);
  return some.length;
}

/** Other nodes let the team's keys in for seconds yet, and who is about to connect a user ends that: hence the minute. */
export const endConnections = (work: Work): Promise<void> =>
  setTimer(work, disconnectTeam, { key: 'team', dueAt: later(work.now, MINUTE), input: {} });
