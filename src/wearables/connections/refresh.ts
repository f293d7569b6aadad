import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app.ts';
import { SECOND } from '../../platform/clock.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Tenant } from '../../platform/tenant.ts';
import { inTenant, readTenant, type Work } from '../../platform/work.ts';
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

/** Asks all providers of a user for what is new, and waits a while for them. 429 for the ninth time in an hour. */
export async function refreshUser(
  app: App,
  tenant: Tenant,
  { userId, timeoutSeconds }: { userId: string; timeoutSeconds: number },
): Promise<RefreshedUser> {
  const asked = await inTenant(app, tenant, (work) => askAll(work, app, userId));
  const looks = (timeoutSeconds * SECOND) / LOOK_EVERY_MS;
  for (let look = 0; ; look += 1) {
    const state = await readTenant(app, tenant, (work) => stateOf(work, userId, asked));
    if (state.inProgress.length === 0 || look >= looks) return { userId, ...state };
    await sleep(LOOK_EVERY_MS);
  }
}

interface Asked {
  readonly id: string;
  readonly provider: string;
  readonly at: Date;
}

async function askAll(
  work: Work,
  { wearableProviders }: Pick<App, 'wearableProviders'>,
  userId: string,
): Promise<Asked[]> {
  await getUser(work, userId);
  await countRefresh(work, userId);
  const connections = await connectionsOf(work, userId);
  for (const connection of connections.filter(({ status }) => status === 'connected')) {
    if (connection.kind === 'demo') await enqueue(work, demonstrate, { connection_id: connection.id });
    const body = wearableProviders.find(connection.provider);
    if (connection.kind !== 'oauth' || !body) continue;
    await wantNew(work, connection, body);
    await store.change(work, connection.id, { pulled_to: work.now });
  }
  return connections
    .filter(({ kind, status }) => kind !== 'pushed' && status !== 'paused')
    .map(({ id, provider }) => ({ id, provider, at: work.now }));
}

async function stateOf(
  work: Work,
  userId: string,
  asked: readonly Asked[],
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
  const stateOfOne = ({ id, at }: Asked) => {
    const row = rows.get(id);
    if (row?.status !== 'connected') return 'failed';
    const told = row.kind !== 'demo' || (row.pulled_to !== null && row.pulled_to >= at);
    return due.has(id) || !told ? 'inProgress' : 'refreshed';
  };
  const slugs = (state: string) =>
    asked.filter((one) => stateOfOne(one) === state).map((one) => one.provider);
  return { refreshed: slugs('refreshed'), inProgress: slugs('inProgress'), failed: slugs('failed') };
}
