import { z } from 'zod';
import { emit, type Subject } from '../../events/events.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { isoMoment, later, MINUTE } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { clearTimer, setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { findUser, subjectOf } from '../../users/users.ts';
import { resourceEvents } from '../events.ts';
import { isTold, type Span } from './spans.ts';
import * as store from './store.ts';

const Input = z.object({ user_id: z.guid() });
const telling = { name: 'wearables.tell_history', input: Input };
/** After an import has been silent for so long, nobody goes on with it. */
const SILENT_MS = 15 * MINUTE;

/** Notes, together with what was kept, that it is to be told: at the end of the import, or soon if it falls. */
export async function noteUntold(work: Work, userId: string, spans: readonly Span[]): Promise<void> {
  if (spans.length === 0) return;
  await store.widenUntold(work, userId, spans);
  await setTimer(work, telling, {
    key: userId,
    dueAt: later(work.now, SILENT_MS),
    input: { user_id: userId },
  });
}

/** Tells what was noted of a user: one event for each resource and provider, and each span once. */
export async function tellUntold(work: Work, userId: string): Promise<void> {
  const rows = await store.takeUntold(work, userId);
  await clearTimer(work, telling, userId);
  const user = await findUser(work, userId);
  if (!user) return;
  for (const { provider, resource, first_at, last_at } of rows) {
    const told = { provider, resource, start: first_at, end: last_at };
    await tellHistory(work, subjectOf(user), told);
  }
}

/** Tells what an import left untold when it fell. */
export const tellFallen = defineJob({
  ...telling,
  run: (app: App, tenant, { user_id: userId }) => inTenant(app, tenant, (work) => tellUntold(work, userId)),
});

interface History {
  readonly provider: string;
  readonly resource: string;
  readonly start: Date;
  readonly end: Date;
}

/** The past of a resource is filled in; nothing is said of what is only part of another. */
export async function tellHistory(
  work: Work,
  subject: Subject,
  { provider, resource, start, end }: History,
): Promise<void> {
  if (!isTold(resource)) return;
  await emit(work, resourceEvents[resource].historical, {
    subject,
    data: {
      user_id: subject.userId ?? '',
      provider,
      start_date: isoMoment(start),
      end_date: isoMoment(end),
      is_final: true,
    },
  });
}
