import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../../app.ts';
import { DAY, later, MINUTE, SECOND } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { writeAuditEntry, type AuditActor } from './audit.ts';
import * as store from './clock-store.ts';
import { invalidateKeyCache } from './authenticate.ts';

/** The team whose sandbox clock is moved. */
interface SandboxTeam {
  readonly orgId: string;
  readonly teamId: string;
}

interface ClockMove {
  /** A time on the team's clock, or an offset from its current time. */
  readonly to: Date | { readonly seconds: number };
  readonly by: AuditActor;
}

const STEPS_MAX = 1000;
const POLL_INTERVAL_MS = 10;
/** Polls for the end of the work at one due time before the clock moves on: 5 seconds. */
const POLLS_PER_STEP = 500;
/** Polls for the whole move: a minute, where no worker runs what comes due. */
const POLLS_PER_MOVE = 6000;
/** A mover that died holds the clock at most this long; each step renews the lease. */
const LEASE_MS = 2 * MINUTE;
const AHEAD_MAX_MS = 100 * 365 * DAY;

/**
 * Moves the clock of a team's sandbox forward. Everything that comes due on the way happens in order: the clock stops
 * at each due time until the team is idle, within the limits above. One move at a time (409). Returns the new time.
 */
export async function moveSandboxClock(app: App, team: SandboxTeam, move: ClockMove): Promise<Date> {
  const target = await beginMove(app, team, move);
  try {
    const patience = { looks: POLLS_PER_MOVE };
    await waitUntilIdle(app, team, patience);
    for (let step = 0; step < STEPS_MAX && patience.looks > 0; step += 1) {
      const stopped = await advanceToNextDue(app, team, target);
      if (!stopped) break;
      await waitUntilIdle(app, team, patience);
    }
    await setClock(app, team, target);
    await waitUntilIdle(app, team, patience);
    // A transaction that began before the clock moved may have written rows with the old offset.
    return await setClock(app, team, target);
  } finally {
    await asSystem(app.db, (tx) => store.releaseClock(tx, team.teamId));
  }
}

/** Acquires the clock and writes the audit entry. Returns the target on the team's clock. */
function beginMove(app: App, { orgId, teamId }: SandboxTeam, { to, by }: ClockMove): Promise<Date> {
  const wall = app.clock.now();
  const recordMove = async (tx: Tx, now: Date, target: Date): Promise<Date> => {
    const deed = { action: 'sandbox_clock.move', subject: teamId, before: { now }, after: { now: target } };
    await writeAuditEntry(tx, { ...by, orgId, teamId, ...deed, at: wall });
    return target;
  };
  return asSystem(app.db, async (tx) => {
    const until = later(wall, LEASE_MS);
    const offsetMs = await store.acquireClock(tx, teamId, { now: wall, until });
    if (offsetMs === undefined) {
      throw new DomainError('conflict', 'Another request is moving this sandbox clock: try again', 1);
    }
    const now = later(wall, offsetMs);
    const target = to instanceof Date ? to : later(now, to.seconds * SECOND);
    if (target < now && (await setBack(tx, { teamId, wall, now, target })))
      return recordMove(tx, now, target);
    if (target < now) {
      throw new DomainError(
        'bad_request',
        `The clock moves back only while the sandbox has never had users: expected a time at or after ${now.toISOString()}`,
      );
    }
    if (target > later(wall, AHEAD_MAX_MS)) {
      throw new DomainError(
        'bad_request',
        'The clock moves at most 100 years ahead of real time: use an earlier time',
      );
    }
    return recordMove(tx, now, target);
  });
}

const BACK_MAX_MS = 10 * 365 * DAY;

/**
 * Sets the clock of a sandbox back in which nothing has happened yet, so that a history can be made. Keys that have
 * expired stay so.
 */
async function setBack(
  tx: Tx,
  { teamId, wall, now, target }: { teamId: string; wall: Date; now: Date; target: Date },
): Promise<boolean> {
  if (target < later(wall, -BACK_MAX_MS) || (await store.hasHadUsers(tx, teamId))) return false;
  await store.keepExpiredKeys(tx, teamId, { now, target });
  await store.lowerClockOffset(tx, teamId, target.getTime() - wall.getTime());
  return true;
}

/** Sets the clock to the next due time; false where nothing comes due up to the target. */
async function advanceToNextDue(app: App, { teamId }: SandboxTeam, target: Date): Promise<boolean> {
  const wall = app.clock.now();
  const stopped = await asSystem(app.db, async (tx) => {
    const offsetMs = await store.getClockOffset(tx, teamId);
    const span = { now: later(wall, offsetMs), until: target, excludedJobs: app.maintenanceJobs };
    const due = await store.findNextDue(tx, teamId, span);
    if (due) await store.setClockOffset(tx, teamId, offsetTo(wall, due));
    return due !== undefined;
  });
  wakeWorkers(app);
  return stopped;
}

/** Sets the clock to the target, unless it is already past it. Returns the current time of the team. */
async function setClock(app: App, { teamId }: SandboxTeam, target: Date): Promise<Date> {
  const wall = app.clock.now();
  const offsetMs = await asSystem(app.db, (tx) => store.setClockOffset(tx, teamId, offsetTo(wall, target)));
  invalidateKeyCache(app);
  wakeWorkers(app);
  return later(wall, offsetMs);
}

/** A clock that was set back ends at the system time, not behind it by the time that the move took. */
const offsetTo = (wall: Date, moment: Date) => ({
  offsetMs: roundBehind(moment.getTime() - wall.getTime()),
  takenUntil: later(wall, LEASE_MS),
});

const roundBehind = (offsetMs: number): number => (offsetMs < 0 && offsetMs > -LEASE_MS ? 0 : offsetMs);

function wakeWorkers(app: App): void {
  app.notifier.notify('timers');
  app.notifier.notify('deliveries');
}

/** Waits until the team has no work that is due or in progress, or the polls are used up. */
async function waitUntilIdle(app: App, { teamId }: SandboxTeam, patience: { looks: number }): Promise<void> {
  for (let look = 0; look < POLLS_PER_STEP && patience.looks > 0; look += 1) {
    if (!(await asSystem(app.db, (tx) => store.hasPendingWork(tx, teamId, app.clock.now())))) return;
    patience.looks -= 1;
    await sleep(POLL_INTERVAL_MS);
  }
}
