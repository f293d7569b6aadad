import type { App } from '../../app.ts';
import { later, MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant } from '../../platform/work.ts';
import { connectionOf } from '../connections/connection.ts';
import * as connections from '../connections/store.ts';
import { subscribe } from '../connections/subscribe.ts';
import { askAndKeep } from './ask.ts';
import { polling, pullingDue, schedulePoll, wantNew } from './schedule.ts';
import * as store from './store.ts';

/** A provider that does not answer is asked again then, as long as the connection is there. */
const AGAIN_AFTER_MS = 15 * MINUTE;
/** One silence may be that of a resource; after two nobody waits for the rest, while other connections want to be asked. */
const SILENCES_MAX = 2;

/** Asks for what is due of a connection, resource by resource, and tells what is new. */
export const pullDue = defineJob({
  ...pullingDue,
  canWait: true,
  async run(app: App, tenant, { connection_id: connectionId }) {
    const due = await readTenant(app, tenant, (work) => store.listDue(work, [connectionId]));
    let waitMs: number | undefined;
    let silences = 0;
    for (const one of due) {
      const { resource } = one;
      const span = { from: one.from_at, to: one.to_at };
      const outcome = await askAndKeep(app, tenant, { connectionId, resource, span, told: true });
      if (outcome.kind === 'over') return;
      if (outcome.kind !== 'later') {
        await inTenant(app, tenant, (work) => store.settleDue(work, one));
        continue;
      }
      // One that cannot be read keeps none of the others back, unless the provider wants to be left alone.
      waitMs = outcome.afterSeconds === undefined ? AGAIN_AFTER_MS : outcome.afterSeconds * SECOND;
      silences += outcome.silent ? 1 : 0;
      if (outcome.afterSeconds !== undefined || silences === SILENCES_MAX) break;
    }
    if (waitMs !== undefined) await askAgain(app, tenant, { connectionId, waitMs });
  },
});

const askAgain = (
  app: App,
  tenant: Tenant,
  { connectionId, waitMs }: { connectionId: string; waitMs: number },
): Promise<void> =>
  inTenant(app, tenant, (work) => {
    const dueAt = later(work.now, waitMs);
    const input = { connection_id: connectionId };
    return setTimer(work, pullingDue, { key: connectionId, dueAt, input });
  });

/** The time has come to ask a connection of itself. */
export const poll = defineJob({
  ...polling,
  canWait: true,
  isUpkeep: true,
  async run(app: App, tenant, { connection_id: id }) {
    const { wearableProviders } = app;
    await inTenant(app, tenant, async (work) => {
      const row = await connections.lock(work, id);
      const body = row && wearableProviders.find(row.provider);
      if (row?.status !== 'connected' || !body) return;
      await wantNew(work, connectionOf(work.cipher, row), body);
      await connections.change(work, id, { pulled_to: work.now });
      await schedulePoll(work, id, body);
      // Some registrations end after a while.
      if (body.news.kind === 'webhook') await enqueue(work, subscribe, { connection_id: id });
    });
  },
});
