import { z } from 'zod';
import { inTenant, type App } from '../../app.ts';
import { readTeamSettings } from '../../identity/management/management.ts';
import { DAY, later } from '../../platform/clock.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { defineJob, type AnyJob } from '../../platform/jobs/jobs.ts';
import { clearTimer, setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { forgetStoredResponses, takeInventory, writeCertificate } from '../erasures/erasures.ts';
import { requireUserQuota } from './create-user.ts';
import * as store from './store.ts';

/** How long a deletion can be undone. */
export const GRACE_MS = 7 * DAY;

/** Deletes data of a user that no foreign key covers. Runs in the same transaction, before the user is deleted. */
type UserErasureHook = (app: App, work: Work, userId: string) => Promise<void>;

/** The kind and id of the caller who deleted the user. Timers of earlier versions do not name it. */
const DeletedBy = z.object({ kind: z.string(), id: z.string() });
type DeletedBy = z.output<typeof DeletedBy>;

const eraseTimer = {
  name: 'users.erase',
  input: z.object({ user_id: z.string(), by: DeletedBy.optional() }),
};

/**
 * Erases a user after the grace period, with all dependent data: rows of every module reference the user
 * `on delete cascade`, and the events are deleted too. Leaves a certificate. Does nothing if the user was restored in the meantime.
 */
export const eraseUser = (forgetting: readonly UserErasureHook[]) =>
  defineJob({
    ...eraseTimer,
    canWait: true,
    run: (app: App, tenant, { user_id: id, by }) =>
      inTenant(app, tenant, (work) => erase(app, work, { id, by, forgetting })),
  });

async function erase(
  app: App,
  work: Work,
  { id, by, forgetting }: { id: string; by: DeletedBy | undefined; forgetting: readonly UserErasureHook[] },
): Promise<void> {
  const requestedAt = await store.lockExpiredDeletion(work, id, graceStartCutoff(work));
  if (!requestedAt) return;
  const beganAt = work.now;
  const inventory = await takeInventory(work, id);
  await forgetStoredResponses(work, { userId: id, deletedAt: requestedAt });
  for (const forget of forgetting) await forget(app, work, id);
  await store.eraseUser(work, id);
  await writeCertificate(app, work, { userId: id, inventory, beganAt, requestedAt, requestedBy: by ?? null });
}

export const userJobs = (forgetting: readonly UserErasureHook[]): readonly AnyJob<App>[] => [
  eraseUser(forgetting),
];

/** Users deleted at or before this time are past the grace period. */
const graceStartCutoff = (work: Work) => later(work.now, -GRACE_MS);

/** Hides the user from every read immediately; the data are erased after 7 days on the tenant's clock. */
export async function deleteUser(work: Work, id: string, by: DeletedBy): Promise<void> {
  requireFound(await store.markDeleted(work, id), 'User');
  await setTimer(work, eraseTimer, { key: id, dueAt: later(work.now, GRACE_MS), input: { user_id: id, by } });
}

/**
 * Restores a user in the grace period and returns the id. 400 if a new user has the client_user_id, or if the team has
 * reached its limit.
 */
export async function undoDelete(
  work: Work,
  wanted: { id: string } | { clientUserId: string },
): Promise<string> {
  const user = requireFound(
    await store.findDeletedInGrace(work, wanted, graceStartCutoff(work)),
    'Deleted user',
  );
  const restored = await store.tryClaim(work, () => store.markRestored(work, user.id));
  if (restored === 'taken') {
    throw new DomainError(
      'bad_request',
      'The client user id of the deleted user now belongs to another user',
    );
  }
  await requireUserQuota(work, await readTeamSettings(work));
  await clearTimer(work, eraseTimer, user.id);
  return user.id;
}
