import { z } from 'zod';
import type { WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { DAY, HOUR, later, SECOND } from '../../platform/clock.ts';
import { enqueueEachOneAs } from '../../platform/jobs/jobs.ts';
import { clearTimers, setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { historicalDaysOf } from '../../provider-settings/provider-settings.ts';
import type { User } from '../../users/users.ts';
import { availableOf } from '../connections/availability.ts';
import { boundedSpan } from '../connections/bounds.ts';
import type { Connection } from '../connections/connection.ts';
import { sinceLast } from './since.ts';
import * as store from './store.ts';

// What the jobs are called and told; what they do stands in their files, which know more than who asks for them.
export const OfConnection = z.object({ connection_id: z.string() });
export const OfResource = OfConnection.extend({ resource: z.string() });
export const pullingHistory = { name: 'wearables.pull_history', input: OfResource };
export const pullingDue = { name: 'wearables.pull_due', input: OfConnection };
export const polling = { name: 'wearables.poll', input: OfConnection };
export const subscribing = {
  name: 'wearables.subscribe',
  input: OfConnection.extend({ tries: z.int().min(0).optional() }),
};
export const demonstrating = { name: 'wearables.demonstrate', input: OfConnection };
export const endingDemo = { name: 'wearables.end_demo', input: OfConnection };

export const DEMO_EVERY_MS = 3 * HOUR;
export const DEMO_HISTORY_DAYS = 30;
/** Of providers that tell us themselves: news get lost, and a day later nobody would know. */
const RECONCILE_SECONDS = DAY / SECOND;

/** One of a resource at a time: whoever asks a second time gets the same pull. */
const enqueueHistory = (work: Work, pulls: readonly store.NewPull[]): Promise<void> => {
  const each = pulls.map(({ connectionId, resource }) => ({
    input: { connection_id: connectionId, resource },
    one: `${pullingHistory.name}/${connectionId}/${resource}`,
  }));
  return enqueueEachOneAs(work.tx, { tenant: work.tenant, job: pullingHistory.name, each });
};

export const enqueueDue = (work: Work, connectionIds: readonly string[]): Promise<void> => {
  const each = connectionIds.map((id) => ({
    input: { connection_id: id },
    one: `${pullingDue.name}/${id}`,
  }));
  return enqueueEachOneAs(work.tx, { tenant: work.tenant, job: pullingDue.name, each });
};

interface Remembering {
  readonly connection: Pick<Connection, 'id' | 'resources' | 'grant'>;
  readonly user: Pick<User, 'ingestionStart' | 'ingestionEnd'>;
}

/** Asks for the past of connections of one provider, as far back as the team wants and the user's bounds let it. */
export async function scheduleHistory(
  work: Work,
  connections: readonly Remembering[],
  { body, bulkOpId = null }: { body: WearableProvider; bulkOpId?: string | null },
): Promise<void> {
  if (connections.length === 0) return;
  const daysOf = await historicalDaysOf(work, body.slug);
  const pulls = connections.flatMap(({ connection, user }) =>
    availableOf(connection, body).flatMap((resource) => {
      const days = daysOf(resource) ?? body.historicalDays;
      const span = boundedSpan(user, { from: later(work.now, -days * DAY), to: work.now });
      return span ? [{ connectionId: connection.id, resource, ...span }] : [];
    }),
  );
  await store.beginHistory(work, pulls, bulkOpId);
  await enqueueHistory(work, pulls);
}

/** Asks a connection for everything that may be new, as soon as somebody is free. */
export async function wantNew(work: Work, connection: Connection, body: WearableProvider): Promise<void> {
  const wanted = { connection, resources: availableOf(connection, body) };
  await store.wantPulls(work, await sinceLast(work, [wanted], body));
  await enqueueDue(work, [connection.id]);
}

/** When a connection is asked next, of itself. */
export const schedulePoll = (
  work: Work,
  id: string,
  { news }: Pick<WearableProvider, 'news'>,
): Promise<void> => {
  const seconds = news.kind === 'poll' ? news.everySeconds : RECONCILE_SECONDS;
  return setTimer(work, polling, {
    key: id,
    dueAt: later(work.now, seconds * SECOND),
    input: { connection_id: id },
  });
};

/** Nothing more is asked of connections. What runs sees that they are gone, and stops. */
export async function unschedule(work: Work, ids: readonly string[], fault: string): Promise<void> {
  await store.stopHistory(work, ids, fault);
  await store.forgetDue(work, ids);
  // A demonstration that is paused ends all the same.
  await clearTimers(work, [polling, pullingDue, subscribing, demonstrating], ids);
}
