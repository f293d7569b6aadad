import type { App } from '../../app.ts';
import { DAY, later } from '../../platform/clock.ts';
import { DomainError } from '../../platform/errors.ts';
import { defineJob, enqueue } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUser, getUser } from '../../users/users.ts';
import { demoReadings, type DemoProvider } from '../demo/demo.ts';
import { findProvider } from '../providers.ts';
import { ConnectionGone, keepReadings, type Came } from '../pulls/keep-readings.ts';
import { tellDone } from '../pulls/pull-history.ts';
import { DEMO_EVERY_MS, DEMO_HISTORY_DAYS, demonstrating, endingDemo } from '../pulls/schedule.ts';
import * as pulls from '../pulls/store.ts';
import { connect, LinkRefused } from './connect.ts';
import type { ConnectionRow } from './connection.ts';
import { removeConnections } from './remove.ts';
import * as store from './store.ts';

// prettier-ignore
export const DEMO_SLUGS = ['apple_health_kit', 'fitbit', 'freestyle_libre', 'oura'] as const satisfies readonly DemoProvider[];

const LIFE_MS = 7 * DAY;

/**
 * Connects a demonstration: a month of its past comes at once, and then something new every few hours, for a week. Only
 * in a sandbox, and not for a user who has real connections.
 */
export async function connectDemo(work: Work, userId: string, provider: DemoProvider): Promise<void> {
  if (work.tenant.environment !== 'sandbox') {
    throw new DomainError('bad_request', 'Demo connections are made in a sandbox only');
  }
  const user = await getUser(work, userId);
  const expiresAt = later(work.now, LIFE_MS);
  const resources = [...new Set(findProvider(provider)?.resources)];
  const { id } = await connect(work, {
    user,
    provider,
    kind: 'demo',
    grant: null,
    resources,
    expiresAt,
  }).catch((error: unknown) => {
    throw error instanceof LinkRefused ? new DomainError('bad_request', error.message) : error;
  });
  const span = { from: later(work.now, -DEMO_HISTORY_DAYS * DAY), to: work.now };
  const history = resources.map((resource) => ({ connectionId: id, resource, ...span }));
  await store.change(work, id, { pulled_to: null });
  await pulls.beginHistory(work, history, null);
  const input = { connection_id: id };
  await enqueue(work, demonstrate, input);
  await setTimer(work, endDemo, { key: id, dueAt: expiresAt, input });
}

/** Tells what a demonstration measured since it told last; the first time its past, without events of its days. */
export const demonstrate = defineJob({
  ...demonstrating,
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
        to: work.now,
        provider,
        timeZone: zone,
      };
    });
    if (!step) return;
    const { row, from, to, provider, timeZone } = step;
    const told = row.pulled_to !== null;
    try {
      const readings = demoReadings({ userId: row.user_id, provider, from, to, timeZone });
      const came = await keepReadings(app, tenant, { connectionId: id, userId: row.user_id, readings, told });
      await inTenant(app, tenant, async (work) => {
        const now = await store.lock(work, id);
        // Connected anew meanwhile, it begins with its past; and another one at once may have told more.
        const isBegunAnew = told && now?.pulled_to === null;
        if (!now || isBegunAnew || (now.pulled_to !== null && now.pulled_to >= to)) return;
        await store.change(work, id, { pulled_to: to });
        if (now.pulled_to === null) await endHistory(work, row, came);
        const dueAt = later(to, DEMO_EVERY_MS);
        await setTimer(work, demonstrate, { key: id, dueAt, input: { connection_id: id } });
      });
    } catch (error) {
      if (!(error instanceof ConnectionGone)) throw error;
    }
  },
});

/** What it had nothing of was not pulled. */
async function endHistory(
  work: Work,
  { id, user_id: userId, provider }: Pick<ConnectionRow, 'id' | 'user_id' | 'provider'>,
  came: Came,
): Promise<void> {
  await pulls.keepHistory(work, id, [...came.keys()]);
  for (const pull of await pulls.listHistory(work, [id])) {
    await pulls.changeHistory(
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
    await tellDone(work, { ...pull, userId, provider });
  }
}

/** A demonstration ends; what it told stays. */
export const endDemo = defineJob({
  ...endingDemo,
  run: (app: App, tenant, { connection_id: id }) =>
    inTenant(app, tenant, async (work) => {
      const row = await store.lock(work, id);
      if (row?.kind === 'demo' && row.expires_at && row.expires_at <= work.now)
        await removeConnections(work, [row]);
    }),
});
