import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { SECOND } from '../../platform/clock.ts';
import type { DurableStepRunner } from '../../platform/http/route.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { demoJob, scheduleIncrementalPull } from './pull-schedule.ts';
import * as pulls from './pull-store.ts';
import { listConnections, enforceRefreshLimit } from './connections.ts';
import * as store from './store.ts';

interface RefreshedUser {
  readonly userId: string;
  /** Provider slugs, as in the other lists. */
  readonly refreshed: string[];
  readonly inProgress: string[];
  readonly failed: string[];
}

const POLL_INTERVAL_MS = 200;

/** The pulls that a refresh started, as stored with the idempotency key. */
const RefreshRecord = z.object({
  userId: z.string(),
  atMs: z.number(),
  asked: z.array(z.object({ id: z.string(), provider: z.string() })),
});
type RefreshRecord = z.output<typeof RefreshRecord>;

interface RefreshRequest {
  readonly userId: string;
  readonly timeoutSeconds: number;
  readonly begin: DurableStepRunner['runStep'];
}

/** Pulls new data from all providers of a user and waits up to the timeout. 429 from the ninth time within an hour. */
export async function refreshUser(
  app: App,
  tenant: Tenant,
  { userId: id, timeoutSeconds, begin }: RefreshRequest,
): Promise<RefreshedUser> {
  const begun = await begin({ shape: RefreshRecord, effect: (work) => startRefresh(work, app, id) });
  const { userId } = begun;
  const looks = (timeoutSeconds * SECOND) / POLL_INTERVAL_MS;
  for (let look = 0; ; look += 1) {
    const state = await readTenant(app, tenant, (work) => readRefreshState(work, begun));
    if (state.inProgress.length === 0 || look >= looks) return { userId, ...state };
    await sleep(POLL_INTERVAL_MS);
  }
}

async function startRefresh(
  work: Work,
  { wearableProviders }: Pick<App, 'wearableProviders'>,
  id: string,
): Promise<RefreshRecord> {
  const { id: userId } = await getUser(work, id);
  await enforceRefreshLimit(work, userId);
  const connections = await listConnections(work, userId);
  for (const connection of connections.filter(({ status }) => status === 'connected')) {
    if (connection.kind === 'demo') await enqueue(work, demoJob, { connection_id: connection.id });
    const body = wearableProviders.find(connection.provider);
    if (connection.kind !== 'oauth' || !body) continue;
    await scheduleIncrementalPull(work, connection, body);
    await store.update(work, connection.id, { pulled_to: work.now });
  }
  const asked = connections.filter(({ kind, status }) => kind !== 'pushed' && status !== 'paused');
  return {
    userId,
    atMs: work.now.getTime(),
    asked: asked.map((one) => ({ id: one.id, provider: one.provider })),
  };
}

async function readRefreshState(
  work: Work,
  { userId, atMs, asked }: RefreshRecord,
): Promise<Omit<RefreshedUser, 'userId'>> {
  const rows = new Map((await store.listOfUser(work, userId)).map((row) => [row.id, row]));
  const due = new Set(
    (
      await pulls.listDuePulls(
        work,
        asked.map(({ id }) => id),
      )
    ).map(({ connection_id }) => connection_id),
  );
  const stateOfOne = ({ id }: RefreshRecord['asked'][number]) => {
    const row = rows.get(id);
    if (row?.status !== 'connected') return 'failed';
    const told = row.kind !== 'demo' || (row.pulled_to !== null && row.pulled_to.getTime() >= atMs);
    return due.has(id) || !told ? 'inProgress' : 'refreshed';
  };
  const slugs = (state: string) =>
    asked.filter((one) => stateOfOne(one) === state).map((one) => one.provider);
  return { refreshed: slugs('refreshed'), inProgress: slugs('inProgress'), failed: slugs('failed') };
}
