import { z } from 'zod';
import { emit, type EventSubject } from '../../events/events.ts';
import type { App } from '../../app.ts';
import { inTenant } from '../../app.ts';
import { isoTimestamp, later, MINUTE } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { clearTimer, setTimer } from '../../platform/jobs/timers.ts';
import type { Work } from '../../platform/work.ts';
import { findUser, subjectOf } from '../../users/users/users.ts';
import { resourceEvents } from '../events.ts';
import { hasEvents, type ChangedSpan } from './spans.ts';
import * as store from './store.ts';

const HistoryTimerInput = z.object({ user_id: z.guid() });
const historyTimer = { name: 'wearables.tell_history', input: HistoryTimerInput };
/** An import without progress for this long is considered abandoned. */
const IDLE_MS = 15 * MINUTE;

/** Records pending history events in the transaction of the data: emitted at the end of the import, or by a timer. */
export async function recordPendingHistory(
  work: Work,
  userId: string,
  spans: readonly ChangedSpan[],
): Promise<void> {
  if (spans.length === 0) return;
  await store.upsertPendingHistory(work, userId, spans);
  await setTimer(work, historyTimer, {
    key: userId,
    dueAt: later(work.now, IDLE_MS),
    input: { user_id: userId },
  });
}

/** A part of the pending history: of one provider, and of these resources, or of all. */
interface PendingHistoryFilter {
  readonly provider: string;
  readonly resources?: readonly string[];
  /** Resources whose history was told otherwise. */
  readonly told?: readonly string[];
}

/** Emits the pending history events of a user: one per resource and provider. */
export async function emitPendingEvents(
  work: Work,
  userId: string,
  only?: PendingHistoryFilter,
): Promise<void> {
  const taken = await store.takePendingHistory(work, userId, only);
  const rows = taken.filter(({ resource }) => !only?.told?.includes(resource));
  // The rest still waits for its timer.
  if (!only) await clearTimer(work, historyTimer, userId);
  const user = await findUser(work, userId);
  if (!user) return;
  for (const { provider, resource, first_at, last_at } of rows) {
    const told = { provider, resource, start: first_at, end: last_at };
    await emitHistoryEvent(work, subjectOf(user), told);
  }
}

/** Emits the pending events of an import that crashed. */
export const emitAbandonedEvents = defineJob({
  ...historyTimer,
  run: (app: App, tenant, { user_id: userId }) =>
    inTenant(app, tenant, (work) => emitPendingEvents(work, userId)),
});

interface HistoryEventInput {
  readonly provider: string;
  readonly resource: string;
  readonly start: Date;
  readonly end: Date;
}

/** Emits that the history of a resource is complete. Resources without events of their own are skipped. */
export async function emitHistoryEvent(
  work: Work,
  subject: EventSubject,
  { provider, resource, start, end }: HistoryEventInput,
): Promise<void> {
  if (!hasEvents(resource)) return;
  await emit(work, resourceEvents[resource].historical, {
    subject,
    data: {
      user_id: subject.userId ?? '',
      provider,
      start_date: isoTimestamp(start),
      end_date: isoTimestamp(end),
      is_final: true,
    },
  });
}
