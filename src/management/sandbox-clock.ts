import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app.ts';
import { DAY, later, MINUTE, SECOND } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import { audit, type Author } from './audit.ts';
import * as store from './clock-store.ts';
import { forgetKeys } from './gate.ts';

/** A team that was found in its organization. */
interface Team {
  readonly orgId: string;
  readonly teamId: string;
}

interface ClockMove {
  /** A moment on the team's clock, or how long after its present one. */
  readonly to: Date | { readonly seconds: number };
  readonly by: Author;
}

const STEPS_MAX = 1000;
const LOOK_EVERY_MS = 10;
/** How often one moment's work is looked at before the clock goes on: 5 seconds. */
const LOOKS_PER_STEP = 500;
/** And all moments' together: a minute, where nobody works on what comes due. */
const LOOKS_PER_MOVE = 6000;
/** A mover that died holds the clock no longer than this; each step begins it anew. */
const TAKEN_FOR_MS = 2 * MINUTE;
const AHEAD_MAX_MS = 100 * 365 * DAY;

/**
 * Moves the clock of a team's sandbox forward. What comes due on the way happens in order: the clock stops
 * at each due moment until the team is quiet. Answers the team's new present.
 */
export async function moveSandboxClock(app: App, team: Team, move: ClockMove): Promise<Date> {
  const target = await begin(app, team, move);
  try {
    const patience = { looks: LOOKS_PER_MOVE };
    await quiet(app, team, patience);
    for (let step = 0; step < STEPS_MAX && patience.looks > 0; step += 1) {
      const stopped = await stopAtNextDue(app, team, target);
      if (!stopped) break;
      await quiet(app, team, patience);
    }
    await setClock(app, team, target);
    await quiet(app, team, patience);
    // A change that began before the clock moved may have left rows with the old offset.
    return await setClock(app, team, target);
  } finally {
    await asSystem(app.db, (tx) => store.giveClockBack(tx, team.teamId));
  }
}

/** Takes the clock and writes down what is going to happen to it. Answers the target on the team's clock. */
function begin(app: App, { orgId, teamId }: Team, { to, by }: ClockMove): Promise<Date> {
  const wall = app.clock.now();
  return asSystem(app.db, async (tx) => {
    const until = later(wall, TAKEN_FOR_MS);
    const offsetMs = await store.takeClock(tx, teamId, { now: wall, until });
    if (offsetMs === undefined) {
      throw new DomainError('conflict', 'The clock of this sandbox is being moved; try again', 1);
    }
    const now = later(wall, offsetMs);
    const target = to instanceof Date ? to : later(now, to.seconds * SECOND);
    if (target < now) {
      throw new DomainError('bad_request', `The clock goes forward only; it is ${now.toISOString()} already`);
    }
    if (target > later(wall, AHEAD_MAX_MS)) {
      throw new DomainError('bad_request', 'The clock goes at most 100 years ahead of the real time');
    }
    const deed = { action: 'sandbox_clock.move', subject: teamId, before: { now }, after: { now: target } };
    await audit(tx, { ...by, orgId, teamId, ...deed, at: wall });
    return target;
  });
}

/** Sets the clock to the next moment at which something comes due; false: there is none up to the target. */
async function stopAtNextDue(app: App, { teamId }: Team, target: Date): Promise<boolean> {
  const wall = app.clock.now();
  const stopped = await asSystem(app.db, async (tx) => {
    const offsetMs = await store.getOffset(tx, teamId);
    const span = { now: later(wall, offsetMs), until: target, butFor: app.upkeepJobs };
    const due = await store.nextDue(tx, teamId, span);
    if (due) await store.setOffset(tx, teamId, aheadOf(wall, due));
    return due !== undefined;
  });
  ring(app);
  return stopped;
}

/** Sets the clock to the target, unless the time went past it on the way. Answers the team's present. */
async function setClock(app: App, { teamId }: Team, target: Date): Promise<Date> {
  const wall = app.clock.now();
  const offsetMs = await asSystem(app.db, (tx) => store.setOffset(tx, teamId, aheadOf(wall, target)));
  forgetKeys(app);
  ring(app);
  return later(wall, offsetMs);
}

const aheadOf = (wall: Date, moment: Date) => ({
  offsetMs: moment.getTime() - wall.getTime(),
  takenUntil: later(wall, TAKEN_FOR_MS),
});

function ring(app: App): void {
  app.bell.ring('timers');
  app.bell.ring('deliveries');
}

/** Waits until nothing of the team is due or under way, or the patience is at its end. */
async function quiet(app: App, { teamId }: Team, patience: { looks: number }): Promise<void> {
  for (let look = 0; look < LOOKS_PER_STEP && patience.looks > 0; look += 1) {
    if (!(await asSystem(app.db, (tx) => store.isBusy(tx, teamId, app.clock.now())))) return;
    patience.looks -= 1;
    await sleep(LOOK_EVERY_MS);
  }
}
