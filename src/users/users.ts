import { teamSettings } from '../management/management.ts';
import { requirePastDob } from '../people/schema.ts';
import { isoMoment } from '../platform/clock.ts';
import { DomainError, found, invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import type { ChangeUser, CreateUser } from './schema.ts';
import * as store from './store.ts';
import { fallbackColumns, userOf, type User } from './user.ts';
import { emailIndex } from './demographics.ts';

export { subjectOf, type User } from './user.ts';
export { deleteUser, undoDelete, userJobs } from './delete-user.ts';
export {
  demographicsOfPatient,
  findDemographics,
  latestDemographics,
  rememberDemographics,
} from './demographics.ts';

/** A user of the tenant; a deleted one is none, from the moment of its deletion. */
export async function findUser(work: Work, id: string): Promise<User | undefined> {
  const row = await store.findUser(work, id);
  return row && userOf(work, row);
}

/** The user, or a 404 `User not found`. */
export const getUser = async (work: Work, id: string): Promise<User> =>
  found(await findUser(work, id), 'User');

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

/** Of two calls with one client_user_id, at whatever moment, one makes the user and the other gets the conflict. */
export async function createUser(work: Work, command: CreateUser): Promise<User> {
  requirePossible(work, command);
  const row = await store.insertUser(work, {
    ...fallbackColumns(work, command),
    client_user_id: command.client_user_id,
  });
  if (!row) throw await clientUserIdConflict(work, command.client_user_id);
  await requireRoom(work);
  return userOf(work, row);
}

export async function changeUser(work: Work, id: string, command: ChangeUser): Promise<void> {
  const user = await getUser(work, id);
  requirePossible(work, {
    ingestion_start: user.ingestionStart,
    ingestion_end: user.ingestionEnd,
    ...command,
  });
  const clientUserId = command.client_user_id ?? user.clientUserId;
  const change = { ...fallbackColumns(work, command), client_user_id: clientUserId };
  const changed = await store.claim(work, () => store.changeUser(work, id, change));
  if (changed === 'taken') throw await clientUserIdConflict(work, clientUserId);
  found(changed, 'User');
}

function requirePossible(
  work: Work,
  {
    fallback_birth_date: birth,
    ingestion_start: start,
    ingestion_end: end,
  }: Omit<ChangeUser, 'client_user_id'>,
): void {
  if (birth) requirePastDob(work, birth, ['body', 'fallback_birth_date']);
  if (start && end && end < start) {
    throw invalidField(['body', 'ingestion_end'], `expected a day not before ingestion_start, ${start}`);
  }
}

/** After the insert, whose row counts too: an existing client_user_id is told as a conflict even when the team is full. */
async function requireRoom(work: Work): Promise<void> {
  const { max_users: limit } = await teamSettings(work);
  if (limit === null) return;
  await store.lockUserCount(work);
  if ((await store.countUsers(work)) <= limit) return;
  throw new DomainError('bad_request', `This team may have ${limit} users at most in this environment`);
}

async function clientUserIdConflict(work: Work, clientUserId: string): Promise<DomainError> {
  const existing = await store.findByClientUserId(work, clientUserId);
  // The one that was in the way can have been deleted in the meantime; then the caller may simply try again.
  if (!existing) return new DomainError('conflict', 'Client user id was in use a moment ago; try again', 1);
  return new DomainError('bad_request', {
    error_type: 'INVALID_REQUEST',
    error_message: 'Client user id already exists.',
    user_id: existing.id,
    created_on: isoMoment(existing.created_at),
  });
}
