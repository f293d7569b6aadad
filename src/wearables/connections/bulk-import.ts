import type { Grant, WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { teamSettings } from '../../management/management.ts';
import { SECOND } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { findUsers, type User } from '../../users/users.ts';
import { schedulePoll } from '../pulls/schedule.ts';
import type { Recipe } from './bulk-schema.ts';
import * as bulkStore from './bulk-store.ts';
import { tellCreated } from './connect.ts';
import { connectionOf, externalIndex, sealConnection, type ConnectionRow } from './connection.ts';
import * as store from './store.ts';
import { subscribe } from './subscribe.ts';

/**
 * Takes over grants that users gave elsewhere; what cannot be taken over is answered by its user. What is new comes from
 * now on; the past is asked for with an operation of its own.
 */
export async function importConnections(
  work: Work,
  body: WearableProvider,
  recipes: readonly Recipe[],
): Promise<{ imported: string[]; failed: string[] }> {
  const ids = [...new Set(recipes.map(({ user_id }) => user_id.toLowerCase()))];
  await store.existing(work, ids);
  const users = new Map((await findUsers(work, ids)).map((user) => [user.id, user]));
  const demonstrated = await bulkStore.demonstrated(work, ids);
  const taken = await takenExternals(work, body, recipes);
  const chosen = new Map<string, Chosen>();
  for (const recipe of recipes) {
    const id = recipe.user_id.toLowerCase();
    const user = users.get(id);
    const owner = taken.get(recipe.provider_id);
    if (!user || demonstrated.has(id) || chosen.has(id) || (owner !== undefined && owner !== id)) continue;
    chosen.set(id, { user, grant: grantOf(recipe) });
    // Of whom nobody says who they are at the provider, nobody can say that they are somebody else's double.
    if (taken.isWatched && recipe.provider_id !== '') taken.set(recipe.provider_id, id);
  }
  await write(work, body, [...chosen.values()]);
  const failed = ids.filter((id) => !chosen.has(id));
  const counts = { total: ids.length, failed: failed.length, started_at: work.now };
  await bulkStore.insertOp(work, { id: newId(), type: 'link_bulk_import', provider: body.slug, ...counts });
  return { imported: [...chosen.keys()], failed };
}

interface Chosen {
  readonly user: User;
  readonly grant: Grant;
}

class Externals extends Map<string, string> {
  readonly isWatched: boolean;
  constructor(isWatched: boolean) {
    super();
    this.isWatched = isWatched;
  }
}

/** Whose the persons at the provider are already, where the team wants each of them once. */
async function takenExternals(
  work: Work,
  { slug: provider }: WearableProvider,
  recipes: readonly Recipe[],
): Promise<Externals> {
  const watched = (await teamSettings(work)).reject_duplicate_connection;
  const taken = new Externals(watched);
  if (!watched) return taken;
  const known = recipes.filter(({ provider_id: id }) => id !== '');
  const indexes = known.map(({ provider_id: externalUserId }) =>
    externalIndex(work.cipher, { provider, externalUserId }),
  );
  for (const row of await store.listByExternal(work, { provider, indexes })) {
    const { grant } = connectionOf(work.cipher, row);
    if (grant?.externalUserId) taken.set(grant.externalUserId, row.user_id);
  }
  return taken;
}

const grantOf = (recipe: Recipe): Grant => ({
  accessToken: recipe.access_token,
  refreshToken: recipe.refresh_token === '' ? null : recipe.refresh_token,
  expiresAt: recipe.expires_at === 0 ? null : new Date(recipe.expires_at * SECOND),
  scopes: recipe.oauth_scopes ?? [],
  externalUserId: recipe.provider_id === '' ? null : recipe.provider_id,
});

async function write(work: Work, body: WearableProvider, chosen: readonly Chosen[]): Promise<void> {
  const { slug: provider } = body;
  const userIds = chosen.map(({ user }) => user.id);
  const before = new Map(
    (await store.listOfUsers(work, { userIds, provider })).map((row) => [row.user_id, row]),
  );
  const rows = chosen.map(({ user, grant }) => ({
    user,
    was: before.get(user.id),
    row: rowOf(work, body, { user, grant, was: before.get(user.id) }),
  }));
  await store.insert(
    work,
    rows.flatMap(({ was, row }) => (was ? [] : [row])),
  );
  for (const { user, was, row } of rows) {
    if (was) await store.change(work, was.id, row);
    await schedulePoll(work, row.id, body);
    if (body.news.kind === 'webhook') await enqueue(work, subscribe, { connection_id: row.id });
    if (was?.status === 'connected') continue;
    const full = { ...row, team_id: work.tenant.teamId, environment: work.tenant.environment };
    await tellCreated(work, { user, provider, body, connection: connectionOf(work.cipher, full) });
  }
}

const rowOf = (
  work: Work,
  { slug: provider, resources }: WearableProvider,
  { user, grant, was }: Chosen & { was: ConnectionRow | undefined },
): Omit<ConnectionRow, 'team_id' | 'environment'> => ({
  id: was?.id ?? newId(),
  user_id: user.id,
  provider,
  kind: 'oauth',
  status: 'connected',
  private: sealConnection(work.cipher, { grant, faultMessage: null }),
  external_index:
    grant.externalUserId === null
      ? null
      : externalIndex(work.cipher, { provider, externalUserId: grant.externalUserId }),
  resources: [...resources],
  fault: null,
  errored_at: null,
  news_refused_at: null,
  renewing_until: null,
  pulled_to: was?.pulled_to ?? null,
  expires_at: null,
  created_at: was?.created_at ?? work.now,
  updated_at: work.now,
  removed_at: null,
});
