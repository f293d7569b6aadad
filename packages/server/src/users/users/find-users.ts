import { z } from 'zod';
import { requireFound } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { computeEmailIndex } from './demographics.ts';
import * as store from './store.ts';
import { toUser, type User } from './user.ts';

/** A user of the tenant; deleted users are not found. */
export async function findUser(work: Work, id: string): Promise<User | undefined> {
  const row = z.guid().safeParse(id).success ? await store.findUser(work, id) : undefined;
  return row && toUser(work, row);
}

/** The users with these ids that exist. */
export async function findUsers(work: Work, ids: readonly string[]): Promise<User[]> {
  const rows = ids.length === 0 ? [] : await store.findUsers(work, ids);
  return rows.map((row) => toUser(work, row));
}

/** The user, or a 404 `User not found`. */
export const getUser = async (work: Work, id: string): Promise<User> =>
  requireFound(await findUser(work, id), 'User');

/** Like `getUser`, and locks the row against changes and deletion until the transaction ends. */
export async function lockUser(work: Work, id: string): Promise<User> {
  const row = z.guid().safeParse(id).success ? await store.lockUser(work, id) : undefined;
  return toUser(work, requireFound(row, 'User'));
}

export async function getUserByClientUserId(work: Work, clientUserId: string): Promise<User> {
  return toUser(work, requireFound(await store.findByClientUserId(work, clientUserId), 'User'));
}

/**
 * The user whose demographics have this e-mail address, case-insensitively. Undefined when two users share it: health
 * data must not go to the wrong family member.
 */
export async function findUserByEmail(work: Work, email: string): Promise<User | undefined> {
  const [row, another] = await store.findByEmailIndex(work, computeEmailIndex(work, email));
  return row && !another ? toUser(work, row) : undefined;
}

/** A page of users, oldest first, and the total count. */
export async function listUsers(
  work: Work,
  page: { offset: number; limit: number },
): Promise<{ users: User[]; total: number }> {
  const [rows, total] = await Promise.all([store.listUsers(work, page), store.countUsers(work)]);
  return { users: rows.map((row) => toUser(work, row)), total };
}

export async function searchUsers(work: Work, text: string): Promise<User[]> {
  const rows = await store.searchUsers(work, text);
  return rows.map((row) => toUser(work, row));
}

export const countUsers = (work: Work): Promise<number> => store.countUsers(work);
