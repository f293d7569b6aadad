import type { Grant, WearableProvider } from '../../adapters/wearable-provider/port.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { SECOND } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { enqueue } from '../../platform/jobs/jobs.ts';
import type { Work } from '../../platform/work.ts';
import { findUsers, type User } from '../../users/users/users.ts';
import { schedulePoll } from './pull-schedule.ts';
import type { ConnectionRecipe } from './bulk-schema.ts';
import * as bulkStore from './bulk-store.ts';
import { emitConnectionCreated } from './connect.ts';
import {
  openConnection,
  indexExternalUser,
  sealConnectionSecrets,
  type ProviderConnectionRow,
} from './connection.ts';
import * as store from './store.ts';
import { subscribe } from './subscribe.ts';

/**
 * Imports grants that users gave in another system. Returns the users whose grant could not be imported as `failed`.
 * New data is pulled from now on; history needs a separate operation.
 */
export async function importConnections(
  work: Work,
  body: WearableProvider,
  recipes: readonly ConnectionRecipe[],
): Promise<{ imported: string[]; failed: string[] }> {
  const ids = [...new Set(recipes.map(({ user_id }) => user_id.toLowerCase()))];
  await store.lockExistingUsers(work, ids);
  const users = new Map((await findUsers(work, ids)).map((user) => [user.id, user]));
  const demonstrated = await bulkStore.findDemoUserIds(work, ids);
  const taken = await findExternalUserOwners(work, body, recipes);
  const chosen = new Map<string, AcceptedImport>();
  for (const recipe of recipes) {
    const id = recipe.user_id.toLowerCase();
    const user = users.get(id);
    const owner = taken.get(recipe.provider_id);
    if (!user || demonstrated.has(id) || chosen.has(id) || (owner !== undefined && owner !== id)) continue;
    chosen.set(id, { user, grant: { ...toGrant(recipe), issuer: body.issuer } });
    // Without an external user id, duplicates cannot be detected.
    if (taken.rejectsDuplicates && recipe.provider_id !== '') taken.set(recipe.provider_id, id);
  }
  await saveConnections(work, body, [...chosen.values()]);
  const failed = ids.filter((id) => !chosen.has(id));
  const counts = { total: ids.length, failed: failed.length, started_at: work.now };
  await bulkStore.insertBulkOp(work, {
    id: newId(),
    type: 'link_bulk_import',
    provider: body.slug,
    ...counts,
  });
  return { imported: [...chosen.keys()], failed };
}

interface AcceptedImport {
  readonly user: User;
  readonly grant: Grant;
}

class ExternalUserOwners extends Map<string, string> {
  readonly rejectsDuplicates: boolean;
  constructor(isWatched: boolean) {
    super();
    this.rejectsDuplicates = isWatched;
  }
}

/** The owner of each external user id; filled only if the team rejects duplicate connections. */
async function findExternalUserOwners(
  work: Work,
  { slug: provider }: WearableProvider,
  recipes: readonly ConnectionRecipe[],
): Promise<ExternalUserOwners> {
  const watched = (await readTeamSettings(work)).reject_duplicate_connection;
  const taken = new ExternalUserOwners(watched);
  if (!watched) return taken;
  const known = recipes.filter(({ provider_id: id }) => id !== '');
  const indexes = known.map(({ provider_id: externalUserId }) =>
    indexExternalUser(work.cipher, { provider, externalUserId }),
  );
  for (const row of await store.listByExternal(work, { provider, indexes })) {
    const { grant } = openConnection(work.cipher, row);
    if (grant?.externalUserId) taken.set(grant.externalUserId, row.user_id);
  }
  return taken;
}

const toGrant = (recipe: ConnectionRecipe): Grant => ({
  accessToken: recipe.access_token,
  refreshToken: recipe.refresh_token === '' ? null : recipe.refresh_token,
  expiresAt: recipe.expires_at === 0 ? null : new Date(recipe.expires_at * SECOND),
  scopes: recipe.oauth_scopes ?? [],
  externalUserId: recipe.provider_id === '' ? null : recipe.provider_id,
});

async function saveConnections(
  work: Work,
  body: WearableProvider,
  chosen: readonly AcceptedImport[],
): Promise<void> {
  const { slug: provider } = body;
  const userIds = chosen.map(({ user }) => user.id);
  const before = new Map(
    (await store.listOfUsers(work, { userIds, provider })).map((row) => [row.user_id, row]),
  );
  const rows = chosen.map(({ user, grant }) => ({
    user,
    was: before.get(user.id),
    row: toConnectionRow(work, body, { user, grant, was: before.get(user.id) }),
  }));
  await store.insert(
    work,
    rows.flatMap(({ was, row }) => (was ? [] : [row])),
  );
  for (const { user, was, row } of rows) {
    if (was) await store.update(work, was.id, row);
    await schedulePoll(work, row.id, body);
    if (body.news.kind === 'webhook') await enqueue(work, subscribe, { connection_id: row.id });
    if (was?.status === 'connected') continue;
    const full = { ...row, team_id: work.tenant.teamId, environment: work.tenant.environment };
    await emitConnectionCreated(work, {
      user,
      provider,
      body,
      connection: openConnection(work.cipher, full),
    });
  }
}

const toConnectionRow = (
  work: Work,
  { slug: provider, resources }: WearableProvider,
  { user, grant, was }: AcceptedImport & { was: ProviderConnectionRow | undefined },
): Omit<ProviderConnectionRow, 'team_id' | 'environment'> => ({
  id: was?.id ?? newId(),
  user_id: user.id,
  provider,
  kind: 'oauth',
  status: 'connected',
  private: sealConnectionSecrets(work.cipher, { grant, faultMessage: null }),
  demo_seed: null,
  external_index:
    grant.externalUserId === null
      ? null
      : indexExternalUser(work.cipher, { provider, externalUserId: grant.externalUserId }),
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
