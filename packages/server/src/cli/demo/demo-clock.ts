import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { DAY, later, MINUTE, SECOND } from '../../platform/clock.ts';
import { DemoCallError } from './client.ts';
import type { DemoOptions } from './options.ts';
import { CLINIC_DAYS } from './plan-orders.ts';

/** The sandbox clock of the team, in days of the clinic. */
interface DemoClock {
  readonly dateOf: (day: number) => Date;
  /** Moves to a day of the clinic, unless the clock is past it. */
  moveTo(day: number): Promise<void>;
  moveToPresent(): Promise<void>;
}

/** The last day ends this long ago, so that the retries of webhooks lie in the past too. */
const LAST_DAY_AGO_MS = 11 * MINUTE;
const TRIES = 60;

/** Moves the sandbox clock. A run that was interrupted may have left a move that is still under way. */
export async function moveDemoClock(
  { client, orgId, teamId }: Pick<DemoOptions, 'client' | 'orgId' | 'teamId'>,
  body: { to: string } | { advance_seconds: number },
): Promise<Date> {
  const path = `/v1/org/${orgId}/team/${teamId}/sandbox/clock`;
  for (let tried = 1; ; tried += 1) {
    try {
      return (await client.management({ method: 'POST', path, body, answer: ClockAnswer })).now;
    } catch (error) {
      if (!(error instanceof DemoCallError) || error.status !== 409 || tried === TRIES) throw error;
      await pause(SECOND);
    }
  }
}

const ClockAnswer = z.object({ now: z.string().transform((text) => new Date(text)) });

/** Sets the clock back by two years if the sandbox has no users yet; afterwards it only moves forward. */
export async function openDemoClock(options: DemoOptions, isEmpty: boolean): Promise<DemoClock> {
  const { client, orgId, teamId } = options;
  const lastDay = later(options.now(), -LAST_DAY_AGO_MS);
  const dateOf = (day: number) => later(lastDay, (day - CLINIC_DAYS) * DAY);
  const path = `/v1/org/${orgId}/team/${teamId}/sandbox/clock`;
  let { now: reached } = await client.management({ method: 'GET', path, answer: ClockAnswer });
  const move = async (to: Date) => {
    reached = await moveDemoClock(options, { to: to.toISOString() });
  };
  if (isEmpty && reached > dateOf(0)) await move(dateOf(0));
  return {
    dateOf,
    moveTo: async (day) => {
      if (dateOf(day) > reached) await move(dateOf(day));
    },
    moveToPresent: async () => {
      const now = options.now();
      if (now > (await client.management({ method: 'GET', path, answer: ClockAnswer })).now) await move(now);
    },
  };
}
