import { z } from 'zod';
import { readTenant, type App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { TimestampInput } from '../../platform/timestamp-input.ts';
import type { Http } from '../../platform/http/http.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { actorOf } from './audit.ts';
import { moveSandboxClock } from './sandbox-clock.ts';
import { authorizeTeam } from './scope.ts';

const tag = 'Management';
const CLOCK_PATH = '/v1/org/:org_id/team/:team_id/sandbox/clock';
const TeamId = z.object({ org_id: z.guid(), team_id: z.guid() });

const ADVANCE_MAX_SECONDS = 1e10;

const MoveClockBody = z
  .object({
    advance_seconds: z
      .int()
      .min(-ADVANCE_MAX_SECONDS)
      .max(ADVANCE_MAX_SECONDS)
      .nullish()
      .describe('How far to move the clock, in seconds. Alternative to `to`.'),
    to: TimestampInput.nullish().describe('The new time of the clock. Alternative to `advance_seconds`.'),
  })
  .refine((body) => (body.advance_seconds == null) !== (body.to == null), {
    message: 'expected exactly one of advance_seconds and to',
  })
  .meta({ id: 'MoveSandboxClockBody' });

const ClockView = z.object({ now: Timestamp }).meta({ id: 'SandboxClock' });

/** The sandbox clock of a team (ours, beyond the contract). */
export function clockRoutes(http: Http, app: App): void {
  http.management.get(CLOCK_PATH, {
    schema: {
      operationId: 'getSandboxClock',
      summary: 'Get the sandbox clock of a team',
      tag,
      params: TeamId,
      response: { 200: ClockView },
    },
    handler: async ({ principal, params }) => {
      const team = await authorizeTeam(app, principal, params);
      const tenant = { teamId: team.id, environment: 'sandbox' as const };
      return { now: isoTimestamp(await readTenant(app, tenant, async (work) => work.now)) };
    },
  });

  http.management.post(CLOCK_PATH, {
    schema: {
      operationId: 'moveSandboxClock',
      summary: 'Move the sandbox clock of a team forward',
      description:
        'Everything that comes due on the way happens in order, each at its own time, as if the time had passed. ' +
        'The clock stops at up to 1000 due times and waits up to a minute in total; the rest happens at the end. ' +
        'A second move at the same time gets 409. The clock moves only forward, except in a sandbox that has never had users: ' +
        'there it can be set back by up to ten years, so that a history can be made.',
      tag,
      params: TeamId,
      body: MoveClockBody,
      response: { 200: ClockView },
    },
    handler: async ({ principal, from, params, body }) => {
      const team = await authorizeTeam(app, principal, params);
      const by = actorOf({ principal, from });
      const to = body.to == null ? { seconds: body.advance_seconds ?? 0 } : new Date(body.to);
      return {
        now: isoTimestamp(await moveSandboxClock(app, { orgId: team.org_id, teamId: team.id }, { to, by })),
      };
    },
  });
}
