import { HOUR, later, SECOND } from '../../platform/clock.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users/users.ts';
import { describeProvider } from '../../readings/readings.ts';
import { openConnection, type ProviderConnection } from './connection.ts';
import { removeConnections } from './remove.ts';
import * as store from './store.ts';

/** The connections of a user, oldest first; 404 if there is no such user. */
export async function listConnections(work: Work, userId: string): Promise<ProviderConnection[]> {
  const { id } = await getUser(work, userId);
  return (await store.listOfUser(work, id)).map((row) => openConnection(work.cipher, row));
}

/** A connected source, as shown in a user. */
interface ConnectedSource {
  readonly provider: { readonly name: string; readonly slug: string; readonly logo: string };
  readonly createdAt: Date;
}

/** The connected sources of each user. Users without sources are absent from the map. */
export async function listConnectedSources(
  work: Work,
  userIds: readonly string[],
): Promise<Map<string, ConnectedSource[]>> {
  const sources = new Map<string, ConnectedSource[]>();
  if (userIds.length === 0) return sources;
  for (const row of await store.listConnected(work, userIds)) {
    const source = { provider: describeProvider(row.provider), createdAt: row.created_at };
    sources.set(row.user_id, [...(sources.get(row.user_id) ?? []), source]);
  }
  return sources;
}

/** The number of connections of the tenant, and how many of them have failed. */
export const countConnections = (work: Work): Promise<{ all: number; errored: number }> => store.count(work);

/** Removes a user's connection to a provider; 404 if there is none. */
export async function deregister(work: Work, userId: string, provider: string): Promise<void> {
  const { id } = await getUser(work, userId);
  const rows = await store.listOfUser(work, id);
  const row = requireFound(
    rows.find((each) => each.provider === provider),
    `Connection to ${provider}`,
  );
  await removeConnections(work, [row]);
}

/** Removes all connections of a user: nothing more is pulled for a deleted user. */
export const disconnectAll = async (work: Work, userId: string): Promise<void> =>
  removeConnections(work, await store.listOfUser(work, userId));

const REFRESHES_PER_HOUR = 8;

/** Counts one more refresh of the user; 429 from the ninth within an hour. */
export async function enforceRefreshLimit(work: Work, userId: string): Promise<void> {
  const since = later(work.now, -HOUR);
  const first = await store.recordRefresh(work, { userId, since, max: REFRESHES_PER_HOUR });
  if (!first) return;
  const waitMs = first.getTime() + HOUR - work.now.getTime();
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND));
  throw new DomainError(
    'too_many',
    `A user can be refreshed at most ${REFRESHES_PER_HOUR} times an hour`,
    seconds,
  );
}
