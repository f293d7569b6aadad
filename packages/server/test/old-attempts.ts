import { inTenant } from '../src/app.ts';
import { DAY, later } from '../src/platform/clock.ts';
import type { Removal, RemovalStep } from '../src/platform/db/removal.ts';
import { removeOldAttempts } from '../src/delivery/webhooks/webhooks.ts';
import type { TestService, TestTeam } from './service.ts';

const LIMIT = 100;

/** Removes the attempts of a team that are older than the default retention at a time. */
export async function removeAttempts({ app }: TestService, { tenant }: TestTeam, now: Date): Promise<void> {
  const before = later(now, -30 * DAY);
  let after: string | null = null;
  do {
    const from: string | null = after;
    const step: RemovalStep = { before, limit: LIMIT, after: from };
    const removed: Removal = await inTenant(app, tenant, (work) => removeOldAttempts(work, step));
    after = removed.next;
  } while (after !== null);
}
