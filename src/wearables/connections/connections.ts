import { HOUR, later, SECOND } from '../../platform/clock.ts';
import { DomainError, found } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { getUser } from '../../users/users.ts';
import { providerNamed } from '../providers.ts';
import { connectionOf, type Connection } from './connection.ts';
import { removeConnections } from './remove.ts';
import * as store from './store.ts';

/** The connections of a user who is there, the oldest first. */
export async function connectionsOf(work: Work, userId: string): Promise<Connection[]> {
  const { id } = await getUser(work, userId);
  return (await store.listOfUser(work, id)).map((row) => connectionOf(work.cipher, row));
}

/** A source of a user, as users are answered. */
export interface ConnectedSource {
  readonly provider: { readonly name: string; readonly slug: string; readonly logo: string };
  readonly createdAt: Date;
}

/** What each of these users has connected; those who have nothing are not in the answer. */
export async function connectedSources(
  work: Work,
  userIds: readonly string[],
): Promise<Map<string, ConnectedSource[]>> {
  const sources = new Map<string, ConnectedSource[]>();
  if (userIds.length === 0) return sources;
  for (const row of await store.listConnected(work, userIds)) {
    const source = { provider: providerNamed(row.provider), createdAt: row.created_at };
    sources.set(row.user_id, [...(sources.get(row.user_id) ?? []), source]);
  }
  return sources;
}

/** How many connections the tenant has, and how many of them failed. */
export const countConnections = (work: Work): Promise<{ all: number; errored: number }> => store.count(work);

/** Takes a provider from a user; 404 where the user does not have it. */
export async function deregister(work: Work, userId: string, provider: string): Promise<void> {
  const { id } = await getUser(work, userId);
  const rows = await store.listOfUser(work, id);
  const row = found(
    rows.find((each) => each.provider === provider),
    `Connection to ${provider}`,
  );
  await removeConnections(work, [row]);
}

/** Takes everything from a user: who is deleted is not read about any more. */
export const disconnectAll = async (work: Work, userId: string): Promise<void> =>
  removeConnections(work, await store.listOfUser(work, userId));

const REFRESHES_PER_HOUR = 8;

/** Counts one more refresh of the user; 429 for the ninth of an hour. */
export async function countRefresh(work: Work, userId: string): Promise<void> {
  const since = later(work.now, -HOUR);
  const first = await store.countRefresh(work, { userId, since, max: REFRESHES_PER_HOUR });
  if (!first) return;
  const waitMs = first.getTime() + HOUR - work.now.getTime();
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND));
  throw new DomainError(
    'too_many',
    `A user is refreshed ${REFRESHES_PER_HOUR} times an hour at most`,
    seconds,
  );
}
