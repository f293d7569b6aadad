import { z } from 'zod';
import type { App } from '../app.ts';
import { isoMoment } from '../platform/clock.ts';
import type { Http } from '../platform/http/http.ts';
import { actingOf } from './acting.ts';
import { breakGlass, endBreakGlass } from './break-glass.ts';
import { requireOrgKey, scopedTenant } from './scope.ts';
import { Env } from './team-schema.ts';

const tag = 'Management';
const BASE = '/v1/org/:org_id/team/:team_id/:environment/break_glass';
const Place = z.object({ org_id: z.guid(), team_id: z.guid(), environment: Env });

const BreakGlass = z
  .object({ reason: z.string().trim().min(10).max(500).describe('Stands in the audit log.') })
  .meta({ id: 'BreakGlassBody' });

const OpeningView = z
  .object({
    id: z.uuid(),
    access_token: z.string().describe('A bearer token that may only read, shown here only.'),
    expires_in: z.int(),
    expires_at: z.iso.datetime({ offset: true }).describe('On the clock of the service.'),
  })
  .meta({ id: 'BreakGlassOpening' });

/** How an organization reads the data of a team in an emergency: for Org Management Keys only. */
export function breakGlassRoutes(http: Http, app: App): void {
  const scoped = scopedTenant(app);

  http.management.post(BASE, {
    schema: {
      operationId: 'openBreakGlass',
      summary: 'Open the data of a team for reading, for 60 minutes (ours)',
      description:
        'For emergencies. The opening and its reason go to the audit log, every access to the access log, a warning to the log of the service, and an e-mail to the address of the team for critical results.',
      tag,
      params: Place,
      body: BreakGlass,
      response: { 200: OpeningView },
    },
    handler: async (input) => {
      requireOrgKey(input.principal, input.params.org_id);
      const opened = await breakGlass(app, await actingOf(scoped, input), input.body.reason);
      return {
        id: opened.id,
        access_token: opened.token,
        expires_in: opened.expiresInSeconds,
        expires_at: isoMoment(opened.endsAt),
      };
    },
  });

  http.management.delete(`${BASE}/:opening_id`, {
    schema: {
      operationId: 'endBreakGlass',
      summary: 'End an opening before its time (ours)',
      tag,
      params: Place.extend({ opening_id: z.guid() }),
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      requireOrgKey(input.principal, input.params.org_id);
      await endBreakGlass(app, await actingOf(scoped, input), input.params.opening_id.toLowerCase());
      return { success: true };
    },
  });
}
