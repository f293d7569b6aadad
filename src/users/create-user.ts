import { teamSettings, type TeamSettings } from '../management/management.ts';
import { requirePastDob } from '../people/schema.ts';
import { isoMoment } from '../platform/clock.ts';
import { DomainError, invalidField } from '../platform/errors.ts';
import type { Work } from '../platform/work.ts';
import { lockUser } from './find-users.ts';
import type { ChangeUser, CreateUser } from './schema.ts';
import * as store from './store.ts';
import { fallbackColumns, userOf, type Said, type User } from './user.ts';

/** Of two calls with one client_user_id, at whatever moment, one makes the user and the other gets the conflict. */
export async function createUser(work: Work, command: CreateUser): Promise<User> {
  requirePossible(work, command);
  const [row, settings] = await Promise.all([
    store.insertUser(work, { ...fallbackColumns(work, command), client_user_id: command.client_user_id }),
    teamSettings(work),
  ]);
  if (!row) throw await clientUserIdConflict(work, command.client_user_id);
  await requireRoom(work, settings);
  return userOf(work, row);
}

/**
 * Changes what is given, and nothing else: what another call changes at the same moment stays as that one said. Answers
 * whether the user's day is another one now.
 */
export async function changeUser(
  work: Work,
  id: string,
  command: ChangeUser,
): Promise<{ movesDays: boolean }> {
  const user = await lockUser(work, id);
  requirePossible(work, {
    ingestion_start: user.ingestionStart,
    ingestion_end: user.ingestionEnd,
    ...command,
  });
  const clientUserId = command.client_user_id ?? undefined;
  const change = {
    ...fallbackColumns(work, command),
    ...(clientUserId === undefined ? {} : { client_user_id: clientUserId }),
  };
  const { fallback_time_zone: zone } = command;
  const movesDays = zone !== undefined && zone !== (user.fallbackTimeZone?.value ?? null);
  if (Object.keys(change).length === 0) return { movesDays };
  if (clientUserId === undefined) {
    await store.changeUser(work, id, change);
    return { movesDays };
  }
  const changed = await store.claim(work, () => store.changeUser(work, id, change));
  if (changed === 'taken') throw await clientUserIdConflict(work, clientUserId);
  return { movesDays };
}

function requirePossible(
  work: Work,
  { fallback_birth_date: birth, ingestion_start: start, ingestion_end: end }: Said,
): void {
  if (birth) requirePastDob(work, birth, ['body', 'fallback_birth_date']);
  if (start && end && end < start) {
    throw invalidField(['body', 'ingestion_end'], `expected a day not before ingestion_start, ${start}`);
  }
}

/**
 * 400 where the team has more users than it may have. Asked when the user is there, and counts too: an existing
 * client_user_id is told as a conflict even when the team is full.
 */
export async function requireRoom(
  work: Work,
  { max_users: limit }: Pick<TeamSettings, 'max_users'>,
): Promise<void> {
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
