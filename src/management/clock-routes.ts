import { z } from 'zod';
import { readTenant, type App } from '../app.ts';
import { isoMoment } from '../platform/clock.ts';
import { GivenMoment } from '../platform/given-moments.ts';
import type { Http } from '../platform/http/http.ts';
import { authorOf } from './audit.ts';
import { moveSandboxClock } from './sandbox-clock.ts';
import { scopedTeam } from './scope.ts';

const tag = 'Management';
const CLOCK = '/v1/org/:org_id/team/:team_id/sandbox/clock';
const TeamId = z.object({ org_id: z.guid(), team_id: z.guid() });

const ADVANCE_MAX_SECONDS = 1e10;

const MoveClock = z
  .object({
    advance_seconds: z.int().min(-ADVANCE_MAX_SECONDS).max(ADVANCE_MAX_SECONDS).nullish(),
    to: GivenMoment.nullish(),
  })
  .refine((body) => (body.advance_seconds == null) !== (body.to == null), {
    message: 'expected exactly one of advance_seconds and to',
  })
  .meta({ id: 'MoveSandboxClockBody' });

const ClockView = z.object({ now: z.iso.datetime({ offset: true }) }).meta({ id: 'SandboxClock' });

/** The clock of a team's sandbox (ours, beyond the contract). */
export function clockRoutes(http: Http, app: App): void {
  http.management.get(CLOCK, {
    schema: {
      operationId: 'getSandboxClock',
      summary: "Read the clock of a team's sandbox",
      tag,
      params: TeamId,
      response: { 200: ClockView },
    },
    handler: async ({ principal, params }) => {
      const team = await scopedTeam(app, principal, params);
      const tenant = { teamId: team.id, environment: 'sandbox' as const };
      return { now: isoMoment(await readTenant(app, tenant, async (work) => work.now)) };
    },
  });

  http.management.post(CLOCK, {
    schema: {
      operationId: 'moveSandboxClock',
      summary: "Move the clock of a team's sandbox forward",
      description:
        'What comes due on the way happens in order, each at its own moment, as if the time had passed: ' +
        'up to 1000 moments and a minute of waiting; what is left then happens at the end. ' +
        'One move at a time: a second one gets 409.',
      tag,
      params: TeamId,
      body: MoveClock,
      response: { 200: ClockView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await scopedTeam(app, principal, params);
      const by = authorOf({ principal, from });
      const to = body.to == null ? { seconds: body.advance_seconds ?? 0 } : new Date(body.to);
      return {
        now: isoMoment(await moveSandboxClock(app, { orgId: team.org_id, teamId: team.id }, { to, by })),
      };
    },
  });
}
