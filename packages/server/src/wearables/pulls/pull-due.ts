import type { App } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant } from '../../platform/work.ts';
import { openConnection } from '../connections/connection.ts';
import * as connections from '../connections/store.ts';
import { subscribe } from '../connections/subscribe.ts';
import { pullResource } from './pull-resource.ts';
import { pollJob, pullDueJob, schedulePoll, scheduleIncrementalPull } from '../connections/pull-schedule.ts';
import * as store from '../connections/pull-store.ts';

/** The retry interval of a failed pull, while the connection exists. */
const RETRY_MS = 15 * MINUTE;
/** One timeout may be specific to a resource. After two, the rest is postponed to let other connections run. */
const TIMEOUTS_MAX = 2;

/** Pulls the due resources of a connection one by one, and emits events for new data. */
export const pullDue = defineJob({
  ...pullDueJob,
  canWait: true,
  async run(app: App, tenant, { connection_id: connectionId }) {
    const due = await readTenant(app, tenant, (work) => store.listDuePulls(work, [connectionId]));
    let waitMs: number | undefined;
    let silences = 0;
    for (const one of due) {
      const { resource } = one;
      const span = { from: one.from_at, to: one.to_at };
      const outcome = await pullResource(app, tenant, { connectionId, resource, span, emitEvents: true });
      if (outcome.kind === 'over') return;
      if (outcome.kind !== 'later') {
        await inTenant(app, tenant, (work) => store.completeDuePull(work, one));
        continue;
      }
      // A failed resource does not hold up the others, unless the provider sent a Retry-After.
      waitMs = outcome.afterSeconds === undefined ? RETRY_MS : outcome.afterSeconds * SECOND;
      silences += outcome.silent ? 1 : 0;
      if (outcome.afterSeconds !== undefined || silences === TIMEOUTS_MAX) break;
    }
    if (waitMs !== undefined) await scheduleRetry(app, tenant, { connectionId, waitMs });
  },
});

const scheduleRetry = (
  app: App,
  tenant: Tenant,
  { connectionId, waitMs }: { connectionId: string; waitMs: number },
): Promise<void> =>
  inTenant(app, tenant, (work) => {
    const dueAt = later(work.now, waitMs);
    const input = { connection_id: connectionId };
    return setTimer(work, pullDueJob, { key: connectionId, dueAt, input });
  });

/** The periodic poll of a connection. */
export const poll = defineJob({
  ...pollJob,
  canWait: true,
  isMaintenance: true,
  async run(app: App, tenant, { connection_id: id }) {
    const { wearableProviders } = app;
    await inTenant(app, tenant, async (work) => {
      const row = await connections.lock(work, id);
      const body = row && wearableProviders.find(row.provider);
      if (row?.status !== 'connected' || !body) return;
      await scheduleIncrementalPull(work, openConnection(work.cipher, row), body);
      await connections.update(work, id, { pulled_to: work.now });
      await schedulePoll(work, id, body);
      // Some subscriptions expire and have to be renewed.
      if (body.news.kind === 'webhook') await enqueue(work, subscribe, { connection_id: id });
    });
  },
});
