import { z } from 'zod';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { DAY, HOUR, later, SECOND } from '../../platform/clock.ts';
import { enqueueManyUnique } from '../../platform/jobs/jobs.ts';
import { clearTimers, setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { getHistoricalDaysByResource } from '../../provider-settings/provider-settings.ts';
import type { User } from '../../users/users/users.ts';
import { listAvailableResources } from './availability.ts';
import { clampToIngestionBounds } from './ingestion-bounds.ts';
import type { ProviderConnection } from './connection.ts';
import { planScheduledPulls } from './pull-windows.ts';
import * as store from './pull-store.ts';

// Names and inputs of the jobs. Their implementations are in separate files, which depend on more modules.
const ConnectionJobInput = z.object({ connection_id: z.string() });
const ResourceJobInput = ConnectionJobInput.extend({ resource: z.string() });
export const pullHistoryJob = { name: 'wearables.pull_history', input: ResourceJobInput };
export const pullDueJob = { name: 'wearables.pull_due', input: ConnectionJobInput };
export const pollJob = { name: 'wearables.poll', input: ConnectionJobInput };
export const subscribeJob = {
  name: 'wearables.subscribe',
  input: ConnectionJobInput.extend({ tries: z.int().min(0).optional() }),
};
export const demoJob = { name: 'wearables.demonstrate', input: ConnectionJobInput };
export const endDemoJob = { name: 'wearables.end_demo', input: ConnectionJobInput };

export const DEMO_INTERVAL_MS = 3 * HOUR;
export const DEMO_HISTORY_DAYS = 30;
/** Providers with webhooks are also polled daily, because notifications get lost. */
const RECONCILE_SECONDS = DAY / SECOND;

/** One job per connection and resource: enqueuing it again has no effect. */
const enqueueHistory = (work: Work, pulls: readonly store.PullWindow[]): Promise<void> => {
  const each = pulls.map(({ connectionId, resource }) => ({
    input: { connection_id: connectionId, resource },
    one: `${pullHistoryJob.name}/${connectionId}/${resource}`,
  }));
  return enqueueManyUnique(work.tx, { tenant: work.tenant, job: pullHistoryJob.name, each });
};

export const enqueueDue = (work: Work, connectionIds: readonly string[]): Promise<void> => {
  const each = connectionIds.map((id) => ({
    input: { connection_id: id },
    one: `${pullDueJob.name}/${id}`,
  }));
  return enqueueManyUnique(work.tx, { tenant: work.tenant, job: pullDueJob.name, each });
};

interface HistoricalPullTarget {
  readonly connection: Pick<ProviderConnection, 'id' | 'resources' | 'grant'>;
  readonly user: Pick<User, 'ingestionStart' | 'ingestionEnd'>;
}

/** Schedules historical pulls, as far back as the team's settings and the user's ingestion bounds allow. */
export async function scheduleHistory(
  work: Work,
  connections: readonly HistoricalPullTarget[],
  { body, bulkOpId = null }: { body: WearableProvider; bulkOpId?: string | null },
): Promise<void> {
  if (connections.length === 0) return;
  const daysOf = await getHistoricalDaysByResource(work, body.slug);
  const pulls = connections.flatMap(({ connection, user }) =>
    listAvailableResources(connection, body).flatMap((resource) => {
      const days = daysOf(resource) ?? body.historicalDays;
      const span = clampToIngestionBounds(user, { from: later(work.now, -days * DAY), to: work.now });
      return span ? [{ connectionId: connection.id, resource, ...span }] : [];
    }),
  );
  await store.upsertHistory(work, pulls, bulkOpId);
  await enqueueHistory(work, pulls);
}

/** Schedules a pull of everything that may be new. */
export async function scheduleIncrementalPull(
  work: Work,
  connection: ProviderConnection,
  body: WearableProvider,
): Promise<void> {
  const wanted = { connection, resources: listAvailableResources(connection, body) };
  await store.addDuePulls(work, await planScheduledPulls(work, [wanted], body));
  await enqueueDue(work, [connection.id]);
}

/** Sets the timer of the next poll. */
export const schedulePoll = (
  work: Work,
  id: string,
  { news }: Pick<WearableProvider, 'news'>,
): Promise<void> => {
  const seconds = news.kind === 'poll' ? news.everySeconds : RECONCILE_SECONDS;
  return setTimer(work, pollJob, {
    key: id,
    dueAt: later(work.now, seconds * SECOND),
    input: { connection_id: id },
  });
};

/** Cancels all pulls of connections. Running ones stop when they find the connection gone. */
export async function cancelPulls(work: Work, ids: readonly string[], fault: string): Promise<void> {
  await store.failUnfinishedHistory(work, ids, fault);
  await store.deleteDuePulls(work, ids);
  // The timer that ends a demo stays: it also applies to a paused one.
  await clearTimers(work, [pollJob, pullDueJob, subscribeJob, demoJob], ids);
}
