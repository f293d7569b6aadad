import type { App } from '../../app.ts';
import { DAY, isoDay, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { defineJob } from '../../platform/jobs/jobs.ts';
import { setTimer } from '../../platform/jobs/timers.ts';
import { inTenant, type Work } from '../../platform/work.ts';
import { findUser, subjectOf } from '../../users/users.ts';
import * as connections from '../connections/store.ts';
import { tellHistory } from '../taking-in/taking-in.ts';
import { askAndKeep, type Outcome } from './ask.ts';
import type { Came } from './keep-readings.ts';
import { pullingHistory } from './schedule.ts';
import * as store from './store.ts';

/** So much is asked for at once: after a kill no more is asked for again, and a reader sees how far it is. */
const STEP_MS = 30 * DAY;
/** After these minutes each a provider that does not answer is asked again; then the pull has failed. */
const TRIES_AFTER_MINUTES = [1, 5, 30, 120, 360, 720];

interface Which {
  readonly connectionId: string;
  readonly resource: string;
}

/** Fills in the past of one resource of a connection, the newest days first. Killed, it goes on where it was. */
export const pullHistory = defineJob({
  ...pullingHistory,
  canWait: true,
  async run(app: App, tenant, { connection_id: connectionId, resource }) {
    const which = { connectionId, resource };
    for (;;) {
      const step = await inTenant(app, tenant, (work) => nextStep(work, which));
      if (!step) return;
      const outcome = await askAndKeep(app, tenant, { ...which, ...step, told: false });
      const goesOn = await inTenant(app, tenant, (work) => noteStep(work, { ...which, ...step, outcome }));
      if (!goesOn) return;
    }
  },
});

interface Step {
  readonly span: { readonly from: Date; readonly to: Date };
}

/** What is to be asked for next; undefined where everything is here, or nothing is wanted any more. */
async function nextStep(work: Work, which: Which): Promise<Step | undefined> {
  const connection = await connections.hold(work, which.connectionId);
  const pull = await store.lockHistory(work, which);
  if (connection?.status !== 'connected' || !pull || pull.ended_at) return undefined;
  const from = new Date(Math.max(pull.range_start.getTime(), pull.reached_at.getTime() - STEP_MS));
  await store.changeHistory(work, which, { status: 'in_progress', started_at: pull.started_at ?? work.now });
  return { span: { from, to: pull.reached_at } };
}

/** Writes down how far it is; answers whether it goes on at once. */
async function noteStep(work: Work, noted: Which & Step & { outcome: Outcome }): Promise<boolean> {
  const { span, outcome } = noted;
  const connection = await connections.hold(work, noted.connectionId);
  const pull = await store.lockHistory(work, noted);
  // Asked for anew meanwhile: that one is another pull.
  if (!connection || !pull || pull.ended_at || pull.reached_at.getTime() !== span.to.getTime()) return false;
  if (outcome.kind === 'over') return false;
  if (outcome.kind === 'later') {
    await putOff(work, noted, { ...outcome, tries: pull.tries });
    return false;
  }
  if (outcome.kind === 'denied') {
    const failed = { status: 'failure' as const, fault: 'non_retriable_error', ended_at: work.now };
    await store.changeHistory(work, noted, failed);
    return false;
  }
  const days = pull.days_with_data + countDays(outcome.came, { span, last: pull.range_end });
  const done = span.from <= pull.range_start;
  await store.changeHistory(work, noted, {
    reached_at: span.from,
    days_with_data: days,
    tries: 0,
    fault: null,
    ...(done && { status: 'success' as const, ended_at: work.now }),
  });
  if (done) await tellDone(work, { ...pull, userId: connection.user_id, provider: connection.provider });
  return !done;
}

/** Days of the span; the one on which it ends counts with what comes after it, unless nothing does. */
function countDays(came: Came, { span, last }: Step & { last: Date }): number {
  const [from, to] = [isoDay(span.from), isoDay(span.to)];
  const isLast = span.to.getTime() === last.getTime();
  const days = new Set([...came.values()].flatMap((ofOne) => [...ofOne]));
  return [...days].filter((day) => day >= from && (day < to || (isLast && day === to))).length;
}

type Later = Extract<Outcome, { kind: 'later' }>;

async function putOff(work: Work, which: Which, { fault, afterSeconds, tries }: Later & { tries: number }) {
  // A provider that says when to come again is not failing.
  const counted = afterSeconds === undefined ? tries + 1 : tries;
  const minutes = TRIES_AFTER_MINUTES[tries];
  const waitMs = afterSeconds === undefined ? minutes && minutes * MINUTE : afterSeconds * SECOND;
  if (waitMs === undefined) {
    const failed = { status: 'failure' as const, fault: 'retry_quota_exhausted', ended_at: work.now };
    return store.changeHistory(work, which, failed);
  }
  await store.changeHistory(work, which, { status: 'retrying', fault, tries: counted });
  await setTimer(work, pullHistory, {
    key: `${which.connectionId}/${which.resource}`,
    dueAt: later(work.now, waitMs),
    input: { connection_id: which.connectionId, resource: which.resource },
  });
}

interface Done {
  readonly userId: string;
  readonly provider: string;
  readonly resource: string;
  readonly range_start: Date;
  readonly range_end: Date;
}

export async function tellDone(work: Work, { userId, provider, resource, ...range }: Done): Promise<void> {
  const user = await findUser(work, userId);
  if (!user) return;
  const told = { provider, resource, start: range.range_start, end: range.range_end };
  await tellHistory(work, subjectOf(user), told);
}
