import type { App } from '../../app.ts';
import { DAY, later } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, enqueueUnique } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUser, getUser } from '../../users/users/users.ts';
import { generateDemoReadings, listDemoResources, type DemoProvider } from './demo.ts';
import { ConnectionGone, ingestReadings, type DaysByResource } from '../pulls/ingest-readings.ts';
import { emitHistoryCompleted } from '../pulls/pull-history.ts';
import { DEMO_INTERVAL_MS, DEMO_HISTORY_DAYS, demoJob, endDemoJob } from '../connections/pull-schedule.ts';
import * as pulls from '../connections/pull-store.ts';
import { connect, LinkError } from '../connections/connect.ts';
import type { ProviderConnectionRow } from '../connections/connection.ts';
import { removeConnections } from '../connections/remove.ts';
import * as store from '../connections/store.ts';

// prettier-ignore
export const DEMO_SLUGS = ['apple_health_kit', 'fitbit', 'freestyle_libre', 'oura'] as const satisfies readonly DemoProvider[];

const DEMO_LIFETIME_MS = 7 * DAY;

/**
 * Connects a demo: a month of history and the last day arrive, then new data every few hours for a week. Only in a sandbox, and
 * not for users with real connections.
 */
export async function connectDemo(
  work: Work,
  userId: string,
  { provider, seed = null }: { provider: DemoProvider; seed?: string | null | undefined },
): Promise<void> {
  if (work.tenant.environment !== 'sandbox') {
    throw new DomainError('bad_request', 'Demo connections can be created only in a sandbox');
  }
  const user = await getUser(work, userId);
  const expiresAt = later(work.now, DEMO_LIFETIME_MS);
  const resources = listDemoResources(provider);
  const { id } = await connect(work, {
    user,
    provider,
    kind: 'demo',
    grant: null,
    resources,
    expiresAt,
  }).catch((error: unknown) => {
    throw error instanceof LinkError ? new DomainError('bad_request', error.message) : error;
  });
  const span = { from: later(work.now, -DEMO_HISTORY_DAYS * DAY), to: later(work.now, -DAY) };
  const history = resources.map((resource) => ({ connectionId: id, resource, ...span }));
  await store.update(work, id, { pulled_to: null, demo_seed: seed });
  await pulls.upsertHistory(work, history, null);
  const input = { connection_id: id };
  // Runs at the same time would share the lock of the connection, and connecting it again would wait for all of them.
  const one = `${runDemo.name}:${id}`;
  await enqueueUnique(work.tx, { tenant: work.tenant, job: runDemo.name, input, one });
  await setTimer(work, endDemo, { key: id, dueAt: expiresAt, input });
}

/** Ingests what a demo measured since the last run; the first run ingests its history, without events for each day. */
export const runDemo = defineJob({
  ...demoJob,
  canWait: true,
  async run(app: App, tenant, { connection_id: id }) {
    const step = await inTenant(app, tenant, async (work) => {
      const row = await store.findById(work, id);
      const provider = DEMO_SLUGS.find((slug) => slug === row?.provider);
      if (row?.kind !== 'demo' || row.status !== 'connected' || !provider) return undefined;
      const zone = (await findUser(work, row.user_id))?.fallbackTimeZone?.value;
      return {
        row,
        from: row.pulled_to ?? later(row.created_at, -DEMO_HISTORY_DAYS * DAY),
        // The history ends a day ago: the last day follows at once, with the first events of each day.
        to: row.pulled_to === null ? later(work.now, -DAY) : work.now,
        provider,
        timeZone: zone,
      };
    });
    if (!step) return;
    const { row, from, to, provider, timeZone } = step;
    const told = row.pulled_to !== null;
    try {
      const readings = generateDemoReadings({
        userId: row.user_id,
        seed: row.demo_seed ?? undefined,
        provider,
        from,
        to,
        timeZone,
      });
      const came = await ingestReadings(app, tenant, {
        connectionId: id,
        userId: row.user_id,
        readings,
        emitEvents: told,
      });
      await inTenant(app, tenant, async (work) => {
        const now = await store.lock(work, id);
        // It may have been connected again meanwhile, and starts with the history, perhaps of another person; or a
        // concurrent run got further.
        const startsAgain = now?.pulled_to === null && (told || now.demo_seed !== row.demo_seed);
        if (!now || startsAgain || (now.pulled_to !== null && now.pulled_to >= to)) return;
        await store.update(work, id, { pulled_to: to });
        if (now.pulled_to === null) await completeDemoHistory(work, row, came);
        const dueAt = told ? later(to, DEMO_INTERVAL_MS) : work.now;
        await setTimer(work, runDemo, { key: id, dueAt, input: { connection_id: id } });
      });
    } catch (error) {
      if (!(error instanceof ConnectionGone)) throw error;
    }
  },
});

/** Completes the historical pulls of a demo. Resources without data are removed from the list. */
async function completeDemoHistory(
  work: Work,
  { id, user_id: userId, provider }: Pick<ProviderConnectionRow, 'id' | 'user_id' | 'provider'>,
  came: DaysByResource,
): Promise<void> {
  await pulls.deleteOtherHistory(work, id, [...came.keys()]);
  for (const pull of await pulls.listHistory(work, [id])) {
    await pulls.updateHistory(
      work,
      { connectionId: id, resource: pull.resource },
      {
        status: 'success',
        reached_at: pull.range_start,
        days_with_data: came.get(pull.resource)?.size ?? 0,
        started_at: work.now,
        ended_at: work.now,
      },
    );
    await emitHistoryCompleted(work, { ...pull, userId, provider });
  }
}

/** Ends a demo. Its data stays. */
export const endDemo = defineJob({
  ...endDemoJob,
  run: (app: App, tenant, { connection_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const row = await store.lock(work, id);
      if (row?.kind === 'demo' && row.expires_at && row.expires_at <= work.now)
        await removeConnections(work, [row]);
    }),
});
