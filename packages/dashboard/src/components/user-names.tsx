import { client } from '../api/client.ts';
import type { components } from '../api/openapi.d.ts';

type User = components['schemas']['ClientFacingUser'];

/** A user of a list; without demographics the name is undefined. */
export interface NamedUser extends User {
  readonly name: string | undefined;
}

/** Adds the names to a page of users, by one request for all of them. */
export async function addNames(users: readonly User[]): Promise<NamedUser[]> {
  if (users.length === 0) return [];
  const user_id = users.map((user) => user.user_id);
  const { data } = await client.GET('/v1/users/names', { params: { query: { user_id } } });
  const names = new Map(data?.data.map((one) => [one.user_id, one.name]));
  return users.map((user) => ({ ...user, name: names.get(user.user_id) }));
}

/** The users whose id or client user id has this text, with their names. */
export const findUsersQuery = (text: string) => ({
  queryKey: ['get', '/v2/team/users/search', { query_id: text }, 'named'],
  queryFn: async () => {
    const { data } = await client.GET('/v2/team/users/search', { params: { query: { query_id: text } } });
    return addNames((data ?? []).slice(0, FOUND_MAX));
  },
});

/** So many names are asked for at once. */
const FOUND_MAX = 100;

/** The name of a user; without demographics the client's id, which no other user has. */
export const UserName = ({ user: { name, client_user_id: own } }: { readonly user: NamedUser }) =>
  name ?? own;
