import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { client } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';
import { usePermissions, useTenant } from '../base/tenant.ts';

type User = components['schemas']['ClientFacingUser'];

/** A user of a list; without demographics the name is undefined. */
export interface NamedUser extends User {
  readonly name: string | undefined;
}

/** So many names are asked for at once. */
const NAMES_MAX = 100;

async function fetchNames(ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const query = { user_id: [...ids] };
  const { data } = await client.GET('/v1/users/names', { params: { query } });
  return new Map(data?.data.map(({ user_id, name }) => [user_id, name]));
}

/** Adds the names to a page of users, by one request for all of them. */
export async function addNames(users: readonly User[]): Promise<NamedUser[]> {
  const names = await fetchNames(users.map((user) => user.user_id));
  return users.map((user) => ({ ...user, name: names.get(user.user_id) }));
}

/**
 * The names of users by their ids, for readers who may see names; empty for others, and until they are there. Asked
 * for once for a set of users; a change of a user asks again.
 */
export function useUserNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const mayRead = usePermissions()('users:read');
  const tenant = useTenant();
  const user_id = [...new Set(ids)].toSorted().slice(0, NAMES_MAX);
  const names = useQuery({
    queryKey: ['get', '/v1/users/names', tenant, user_id],
    queryFn: () => fetchNames(user_id),
    enabled: mayRead && user_id.length > 0,
    placeholderData: keepPreviousData,
  });
  return mayRead ? (names.data ?? NO_NAMES) : NO_NAMES;
}

const NO_NAMES: ReadonlyMap<string, string> = new Map();

/**
 * The users whose id or client user id has this text, then those whose orders name a patient with a word that begins
 * with it: names are sealed where they are stored, so only the search of the orders' names finds them.
 */
export const findUsersQuery = (text: string) => ({
  queryKey: ['get', '/v2/team/users/search', { query_id: text }, 'named'],
  gcTime: 0,
  queryFn: async () => {
    const [{ data: byId = [] }, named] = await Promise.all([
      client.GET('/v2/team/users/search', { params: { query: { query_id: text } } }),
      findNamedIds(text),
    ]);
    const found = new Set(byId.map((user) => user.user_id));
    const byName = await Promise.all(named.filter((id) => !found.has(id)).map(fetchUser));
    return addNames([...byId, ...byName.flatMap((user) => user ?? [])].slice(0, NAMES_MAX));
  },
});

/** As the search of all objects permits. */
const SHORTEST_TEXT = 2;
const LONGEST_TEXT = 100;
const NAMED_MAX = 10;

async function findNamedIds(text: string): Promise<string[]> {
  if (text.length < SHORTEST_TEXT || text.length > LONGEST_TEXT) return [];
  const { data } = await client.GET('/v1/search', { params: { query: { q: text, limit: NAMED_MAX } } });
  return (data?.data ?? []).filter(({ kind }) => kind === 'user').map(({ id }) => id);
}

const fetchUser = async (userId: string): Promise<User | undefined> =>
  (await client.GET('/v2/user/{user_id}', { params: { path: { user_id: userId } } })).data;

/** The name of a user; without demographics the client's id, which no other user has. */
export const UserName = ({ user: { name, client_user_id: own } }: { readonly user: NamedUser }) =>
  name ?? own;
