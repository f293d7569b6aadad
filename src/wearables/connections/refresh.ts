import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { App } from '../../app.ts';
import { SECOND } from '../../platform/clock.ts';
import type { Beginner } from '../../platform/http/route.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { readTenant, type Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { wantNew } from '../pulls/schedule.ts';
import * as pulls from '../pulls/store.ts';
import { connectionsOf, countRefresh } from './connections.ts';
import { demonstrate } from './demo.ts';
import * as store from './store.ts';

export interface RefreshedUser {
  readonly userId: string;
  /** Slugs of providers. */
  readonly refreshed: string[];
  readonly inProgress: string[];
  readonly failed: string[];
}

const LOOK_EVERY_MS = 200;

/** What was asked of the providers of a user, as it can be kept. */
const Refreshing = z.object({
  userId: z.string(),
  atMs: z.number(),
  asked: z.array(z.object({ id: z.string(), provider: z.string() })),
});
type Refreshing = z.output<typeof Refreshing>;

interface Refresh {
  readonly userId: string;
  readonly timeoutSeconds: number;
  readonly begin: Beginner['begin'];
}

/** Asks all providers of a user for what is new, and waits a while for them. 429 for the ninth time in an hour. */
export async function refreshUser(
  app: App,
  tenant: Tenant,
  { userId: id, timeoutSeconds, begin }: Refresh,
): Promise<RefreshedUser> {
  const begun = await begin({ shape: Refreshing, effect: (work) => askAll(work, app, id) });
  const { userId } = begun;
  const looks = (timeoutSeconds * SECOND) / LOOK_EVERY_MS;
  for (let look = 0; ; look += 1) {
    const state = await readTenant(app, tenant, (work) => stateOf(work, begun));
    if (state.inProgress.length === 0 || look >= looks) return { userId, ...state };
    await sleep(LOOK_EVERY_MS);
  }
}

async function askAll(
  work: Work,
  { wearableProviders }: Pick<App, 'wearableProviders'>,
  id: string,
): Promise<Refreshing> {
  const { id: userId } = await getUser(work, id);
  await countRefresh(work, userId);
  const connections = await connectionsOf(work, userId);
  for (const connection of connections.filter(({ status }) => status === 'connected')) {
    if (connection.kind === 'demo') await enqueue(work, demonstrate, { connection_id: connection.id });
    const body = wearableProviders.find(connection.provider);
    if (connection.kind !== 'oauth' || !body) continue;
    await wantNew(work, connection, body);
    await store.change(work, connection.id, { pulled_to: work.now });
  }
  const asked = connections.filter(({ kind, status }) => kind !== 'pushed' && status !== 'paused');
  return {
    userId,
    atMs: work.now.getTime(),
    asked: asked.map((one) => ({ id: one.id, provider: one.provider })),
  };
}

async function stateOf(
  work: Work,
  { userId, atMs, asked }: Refreshing,
): Promise<Omit<RefreshedUser, 'userId'>> {
  const rows = new Map((await store.listOfUser(work, userId)).map((row) => [row.id, row]));
  const due = new Set(
    (
      await pulls.listDue(
        work,
        asked.map(({ id }) => id),
      )
    ).map(({ connection_id }) => connection_id),
  );
  const stateOfOne = ({ id }: Refreshing['asked'][number]) => {
    const row = rows.get(id);
    if (row?.status !== 'connected') return 'failed';
    const told = row.kind !== 'demo' || (row.pulled_to !== null && row.pulled_to.getTime() >= atMs);
    return due.has(id) || !told ? 'inProgress' : 'refreshed';
  };
  const slugs = (state: string) =>
    asked.filter((one) => stateOfOne(one) === state).map((one) => one.provider);
  return { refreshed: slugs('refreshed'), inProgress: slugs('inProgress'), failed: slugs('failed') };
}
