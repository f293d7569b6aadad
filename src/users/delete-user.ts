import { z } from 'zod';
import { inTenant, type App } from '../app.ts';
import { teamSettings } from '../management/management.ts';
import { DAY, later } from '../platform/clock.ts';
import { DomainError, found } from '../platform/errors.ts';
import { defineJob, type AnyJob } from '../platform/jobs/jobs.ts';
import { clearTimer, setTimer } from '../platform/jobs/timers.ts';
import type { Work } from '../platform/work.ts';
import { requireRoom } from './create-user.ts';
import * as store from './store.ts';

/** So long a deletion can be undone. */
export const GRACE_MS = 7 * DAY;

/** What else has to go with a user, and hangs on nobody; in the same work, while the user is still there. */
export type Forget = (app: App, work: Work, userId: string) => Promise<void>;

const erasing = { name: 'users.erase', input: z.object({ user_id: z.string() }) };

/**
 * Erases a user whose grace period is over, with all that hangs on it: rows of every slice refer to the user
 * `on delete cascade`, and the events go with them. Does nothing to a user who was restored in the meantime.
 */
export const eraseUser = (forgetting: readonly Forget[]) =>
  defineJob({
    ...erasing,
    canWait: true,
    run: (app: App, tenant, { user_id: id }) =>
      inTenant(app, tenant, (work) => erase(app, work, { id, forgetting })),
  });

async function erase(
  app: App,
  work: Work,
  { id, forgetting }: { id: string; forgetting: readonly Forget[] },
): Promise<void> {
  if (!(await store.lockForgotten(work, id, graceBegan(work)))) return;
  for (const forget of forgetting) await forget(app, work, id);
  await store.eraseUser(work, id);
}

export const userJobs = (forgetting: readonly Forget[]): readonly AnyJob<App>[] => [eraseUser(forgetting)];

/** A grace period that began at this moment ends now. */
const graceBegan = (work: Work) => later(work.now, -GRACE_MS);

/** The user vanishes from every read at once; the data stay for 7 days of the tenant's clock. */
export async function deleteUser(work: Work, id: string): Promise<void> {
  found(await store.markDeleted(work, id), 'User');
  await setTimer(work, erasing, { key: id, dueAt: later(work.now, GRACE_MS), input: { user_id: id } });
}

/**
 * Brings back a user in the grace period, unless a new one has taken its client_user_id or its room in the team. Answers
 * its id.
 */
export async function undoDelete(
  work: Work,
  wanted: { id: string } | { clientUserId: string },
): Promise<string> {
  const user = found(await store.findInGrace(work, wanted, graceBegan(work)), 'Deleted user');
  const restored = await store.claim(work, () => store.markRestored(work, user.id));
  if (restored === 'taken') {
    throw new DomainError('bad_request', 'The client user id of the deleted user belongs to a new user now');
  }
  await requireRoom(work, await teamSettings(work));
  await clearTimer(work, erasing, user.id);
  return user.id;
}
