import { z } from 'zod';
import type { App } from '../app.ts';
import { isoMoment } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import { actingOf } from './acting.ts';
import { breakGlass, endBreakGlass } from './break-glass.ts';
import { listOpenings } from './break-glass-store.ts';
import { pageOf, readCursor } from './page.ts';
import { requireOrgKey, scopedTenant } from './scope.ts';
import { Env } from './team-schema.ts';

const tag = 'Management';
const BASE = '/v1/org/:org_id/team/:team_id/:environment/break_glass';
const Place = z.object({ org_id: z.guid(), team_id: z.guid(), environment: Env });

const PAGE_SIZE = 100;
const Moment = z.iso.datetime({ offset: true });

const BreakGlass = z
  .object({ reason: z.string().trim().min(10).max(500).describe('Stands in the audit log.') })
  .meta({ id: 'BreakGlassBody' });

const OpeningView = z
  .object({
    id: z.uuid(),
    access_token: z.string().describe('A bearer token that may only read, shown here only.'),
    expires_in: z.int(),
    expires_at: Moment.describe('On the clock of the service.'),
  })
  .meta({ id: 'BreakGlassOpening' });

const PastOpening = z
  .object({
    id: z.uuid().describe('The key_id of its accesses in the access log.'),
    reason: z.string(),
    opened_by: z.string().describe('The management key.'),
    opened_at: Moment,
    ends_at: Moment,
    ended_at: Moment.nullable().describe('When somebody ended it before its time.'),
    is_open: z.boolean(),
  })
  .meta({ id: 'BreakGlassPastOpening' });

/** How an organization reads the data of a team in an emergency: for Org Management Keys only. */
export function breakGlassRoutes(http: Http, app: App): void {
  list(http, app);
  open(http, app);
  end(http, app);
}

function list(http: Http, app: App): void {
  const scoped = scopedTenant(app);
  http.management.get(BASE, {
    schema: {
      operationId: 'listBreakGlass',
      summary: 'List the openings of the data of a team, newest first (ours)',
      tag,
      params: Place,
      query: z.object({ next_cursor: z.string().max(200).nullish() }),
      response: { 200: z.object({ data: z.array(PastOpening), next_cursor: z.string().nullable() }) },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const tenant = await scoped(principal, params);
      const page = { tenant, after: readCursor(query.next_cursor), limit: PAGE_SIZE + 1 };
      const rows = await asSystem(app.db, (tx) => listOpenings(tx, page));
      const { items, next_cursor } = pageOf(rows, PAGE_SIZE);
      return { data: items.map((row) => viewOpening(row, app.clock.now())), next_cursor };
    },
  });
}

function open(http: Http, app: App): void {
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
}

function end(http: Http, app: App): void {
  const scoped = scopedTenant(app);
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

type Opened = Awaited<ReturnType<typeof listOpenings>>[number];

const viewOpening = (row: Opened, now: Date): z.input<typeof PastOpening> => ({
  id: row.id,
  reason: row.reason,
  opened_by: row.opened_by,
  opened_at: isoMoment(row.opened_at),
  ends_at: isoMoment(row.ends_at),
  ended_at: row.ended_at && isoMoment(row.ended_at),
  is_open: row.ended_at === null && row.ends_at > now,
});
