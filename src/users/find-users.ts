import { z } from 'zod';
import { found } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { emailIndex } from './demographics.ts';
import * as store from './store.ts';
import { userOf, type User } from './user.ts';

/** A user of the tenant; a deleted one is none, from the moment of its deletion. */
export async function findUser(work: Work, id: string): Promise<User | undefined> {
  const row = z.guid().safeParse(id).success ? await store.findUser(work, id) : undefined;
  return row && userOf(work, row);
}

/** Those of these users that there are. */
export async function findUsers(work: Work, ids: readonly string[]): Promise<User[]> {
  const rows = ids.length === 0 ? [] : await store.findUsers(work, ids);
  return rows.map((row) => userOf(work, row));
}

/** The user, or a 404 `User not found`. */
export const getUser = async (work: Work, id: string): Promise<User> =>
  found(await findUser(work, id), 'User');

/** The same, and nobody else changes or deletes the user until the work ends. */
export async function lockUser(work: Work, id: string): Promise<User> {
  const row = z.guid().safeParse(id).success ? await store.lockUser(work, id) : undefined;
  return userOf(work, found(row, 'User'));
}

export async function getUserByClientUserId(work: Work, clientUserId: string): Promise<User> {
  return userOf(work, found(await store.findByClientUserId(work, clientUserId), 'User'));
}

/**
 * The one user with this e-mail address, in whatever case, by what `rememberDemographics` was told.
 * Nobody when two share it: health data must not go to the wrong one of a family.
 */
export async function findUserByEmail(work: Work, email: string): Promise<User | undefined> {
  const [row, another] = await store.findByEmailIndex(work, emailIndex(work, email));
  return row && !another ? userOf(work, row) : undefined;
}

/** A page of users, oldest first, and how many there are. */
export async function listUsers(
  work: Work,
  page: { offset: number; limit: number },
): Promise<{ users: User[]; total: number }> {
  const [rows, total] = await Promise.all([store.listUsers(work, page), store.countUsers(work)]);
  return { users: rows.map((row) => userOf(work, row)), total };
}

export async function searchUsers(work: Work, text: string): Promise<User[]> {
  const rows = await store.searchUsers(work, text);
  return rows.map((row) => userOf(work, row));
}

export const countUsers = (work: Work): Promise<number> => store.countUsers(work);
