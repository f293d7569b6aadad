import { readTeamSettings, type TeamSettings } from '../../identity/management/management.ts';
import { requirePastDob } from '../../people/schema.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { DomainError, invalidField } from '../../platform/errors.ts';
import type { Work } from '../../platform/work.ts';
import { lockUser } from './find-users.ts';
import type { ChangeUser, CreateUser } from './schema.ts';
import * as store from './store.ts';
import { toFallbackColumns, toUser, type UserFallbackInput, type User } from './user.ts';

/** Of concurrent calls with the same client_user_id, one creates the user and the others get the conflict. */
export async function createUser(work: Work, command: CreateUser): Promise<User> {
  requireValidDates(work, command);
  const [row, settings] = await Promise.all([
    store.insertUser(work, { ...toFallbackColumns(work, command), client_user_id: command.client_user_id }),
    readTeamSettings(work),
  ]);
  if (!row) throw await clientUserIdConflict(work, command.client_user_id);
  await requireUserQuota(work, settings);
  return toUser(work, row);
}

/**
 * Changes only the given fields, so concurrent changes of other fields are kept. Returns whether the user's days moved,
 * that is, whether the time zone changed.
 */
export async function changeUser(
  work: Work,
  id: string,
  command: ChangeUser,
): Promise<{ movesDays: boolean }> {
  const user = await lockUser(work, id);
  requireValidDates(work, {
    ingestion_start: user.ingestionStart,
    ingestion_end: user.ingestionEnd,
    ...command,
  });
  const clientUserId = command.client_user_id ?? undefined;
  const change = {
    ...toFallbackColumns(work, command),
    ...(clientUserId === undefined ? {} : { client_user_id: clientUserId }),
  };
  const { fallback_time_zone: zone } = command;
  const movesDays = zone !== undefined && zone !== (user.fallbackTimeZone?.value ?? null);
  if (Object.keys(change).length === 0) return { movesDays };
  if (clientUserId === undefined) {
    await store.changeUser(work, id, change);
    return { movesDays };
  }
  const changed = await store.tryClaim(work, () => store.changeUser(work, id, change));
  if (changed === 'taken') throw await clientUserIdConflict(work, clientUserId);
  return { movesDays };
}

function requireValidDates(
  work: Work,
  { fallback_birth_date: birth, ingestion_start: start, ingestion_end: end }: UserFallbackInput,
): void {
  if (birth) requirePastDob(work, birth, ['body', 'fallback_birth_date']);
  if (start && end && end < start) {
    throw invalidField(['body', 'ingestion_end'], `expected a day on or after ingestion_start (${start})`);
  }
}

/**
 * 400 where the team has more users than its limit. Call it after inserting the user, so that an existing
 * client_user_id is reported as a conflict even when the team is full.
 */
export async function requireUserQuota(
  work: Work,
  { max_users: limit }: Pick<TeamSettings, 'max_users'>,
): Promise<void> {
  if (limit === null) return;
  await store.lockUserCount(work);
  if ((await store.countUsers(work)) <= limit) return;
  throw new DomainError(
    'bad_request',
    `The team has reached its limit of users in this environment (${limit})`,
  );
}

async function clientUserIdConflict(work: Work, clientUserId: string): Promise<DomainError> {
  const existing = await store.findByClientUserId(work, clientUserId);
  // The conflicting user may have been deleted in the meantime; then the caller can retry.
  if (!existing) return new DomainError('conflict', 'Client user id was in use a moment ago; try again', 1);
  return new DomainError('bad_request', {
    error_type: 'INVALID_REQUEST',
    error_message: 'Client user id already exists.',
    user_id: existing.id,
    created_on: isoTimestamp(existing.created_at),
  });
}
