import type { App } from '../../app.ts';
import { DAY, isoDay, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUser, subjectOf } from '../../users/users/users.ts';
import * as connections from '../connections/store.ts';
import { emitHistoryEvent } from '../ingestion/ingestion.ts';
import { pullResource, type PullOutcome } from './pull-resource.ts';
import type { DaysByResource } from './ingest-readings.ts';
import { pullHistoryJob } from '../connections/pull-schedule.ts';
import * as store from '../connections/pull-store.ts';

/** The interval of one step: limits repeated work after a crash, and makes progress visible. */
const STEP_MS = 30 * DAY;
/** The delays between attempts; then the pull fails. */
const RETRY_DELAYS_MINUTES = [1, 5, 30, 120, 360, 720];

interface HistoricalPullKey {
  readonly connectionId: string;
  readonly resource: string;
}

/** Pulls the history of one resource of a connection, newest first, step by step. After a crash it resumes. */
export const pullHistory = defineJob({
  ...pullHistoryJob,
  canWait: true,
  async run(app: App, tenant, { connection_id: connectionId, resource }) {
    const which = { connectionId, resource };
    for (;;) {
      const step = await inTenant(app, tenant, (work) => nextStep(work, which));
      if (!step) return;
      const outcome = await pullResource(app, tenant, { ...which, span: step.asked, emitEvents: false });
      const goesOn = await inTenant(app, tenant, (work) => recordStep(work, { ...which, ...step, outcome }));
      if (!goesOn) return;
    }
  },
});

interface HistoryStep {
  readonly span: { readonly from: Date; readonly to: Date };
  /** The rest of it, if a provider's limit interrupted the step. */
  readonly asked: { readonly from: Date; readonly to: Date };
}

/** The next interval; undefined if the pull is complete or stopped. */
async function nextStep(work: Work, which: HistoricalPullKey): Promise<HistoryStep | undefined> {
  const connection = await connections.shareLock(work, which.connectionId);
  const pull = await store.lockHistory(work, which);
  if (connection?.status !== 'connected' || !pull || pull.ended_at) return undefined;
  const from = new Date(Math.max(pull.range_start.getTime(), pull.reached_at.getTime() - STEP_MS));
  await store.updateHistory(work, which, { status: 'in_progress', started_at: pull.started_at ?? work.now });
  const to = pull.reached_at;
  return { span: { from, to }, asked: { from: pull.resume_from ?? from, to } };
}

/** Records the outcome of a step. Returns whether to continue at once. */
async function recordStep(
  work: Work,
  noted: HistoricalPullKey & HistoryStep & { outcome: PullOutcome },
): Promise<boolean> {
  const { span, outcome } = noted;
  const connection = await connections.shareLock(work, noted.connectionId);
  const pull = await store.lockHistory(work, noted);
  // The pull was restarted meanwhile: this step belongs to the earlier one.
  if (!connection || !pull || pull.ended_at || pull.reached_at.getTime() !== span.to.getTime()) return false;
  if (outcome.kind === 'over') return false;
  if (outcome.kind === 'later') {
    await postpone(work, noted, { ...outcome, tries: pull.tries });
    return false;
  }
  if (outcome.kind === 'denied') {
    const failed = { status: 'failure' as const, fault: 'non_retriable_error', ended_at: work.now };
    await store.updateHistory(work, noted, failed);
    return false;
  }
  const days = pull.days_with_data + countDays(outcome.came, { span, last: pull.range_end });
  const done = span.from <= pull.range_start;
  await store.updateHistory(work, noted, {
    reached_at: span.from,
    resume_from: null,
    days_with_data: days,
    tries: 0,
    fault: null,
    ...(done && { status: 'success' as const, ended_at: work.now }),
  });
  if (done)
    await emitHistoryCompleted(work, { ...pull, userId: connection.user_id, provider: connection.provider });
  return !done;
}

/** Days with data in the step. The day on which it ends counts for the later step, if there is one. */
function countDays(came: DaysByResource, { span, last }: Pick<HistoryStep, 'span'> & { last: Date }): number {
  const [from, to] = [isoDay(span.from), isoDay(span.to)];
  const isLast = span.to.getTime() === last.getTime();
  const days = new Set([...came.values()].flatMap((ofOne) => [...ofOne]));
  return [...days].filter((day) => day >= from && (day < to || (isLast && day === to))).length;
}

type DelayedPull = Extract<PullOutcome, { kind: 'later' }>;

async function postpone(
  work: Work,
  which: HistoricalPullKey,
  { fault, afterSeconds, resumeFrom, tries }: DelayedPull & { tries: number },
) {
  // A Retry-After does not count as a failed attempt.
  const counted = afterSeconds === undefined ? tries + 1 : tries;
  const minutes = RETRY_DELAYS_MINUTES[tries];
  const waitMs = afterSeconds === undefined ? minutes && minutes * MINUTE : afterSeconds * SECOND;
  if (waitMs === undefined) {
    const failed = { status: 'failure' as const, fault: 'retry_quota_exhausted', ended_at: work.now };
    return store.updateHistory(work, which, failed);
  }
  await store.updateHistory(work, which, {
    status: 'retrying',
    fault,
    tries: counted,
    ...(resumeFrom && { resume_from: resumeFrom }),
  });
  await setTimer(work, pullHistory, {
    key: `${which.connectionId}/${which.resource}`,
    dueAt: later(work.now, waitMs),
    input: { connection_id: which.connectionId, resource: which.resource },
  });
}

interface CompletedPull {
  readonly userId: string;
  readonly provider: string;
  readonly resource: string;
  readonly range_start: Date;
  readonly range_end: Date;
}

export async function emitHistoryCompleted(
  work: Work,
  { userId, provider, resource, ...range }: CompletedPull,
): Promise<void> {
  const user = await findUser(work, userId);
  if (!user) return;
  const told = { provider, resource, start: range.range_start, end: range.range_end };
  await emitHistoryEvent(work, subjectOf(user), told);
}
