import { z } from 'zod';
import type { App } from '../../app.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { PageCursor, readPage } from '../../platform/http/page.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { authorizeChange } from './audited-change.ts';
import { openBreakGlass, endBreakGlass } from './break-glass.ts';
import { listOpenings } from './break-glass-store.ts';
import { requireOrgKey, createTenantAuthorizer } from './scope.ts';
import { Env } from './team-schema.ts';

const tag = 'Management';
const BASE = '/v1/org/:org_id/team/:team_id/:environment/break_glass';
const BreakGlassParams = z.object({ org_id: z.guid(), team_id: z.guid(), environment: Env });

const BreakGlassBody = z
  .object({
    reason: z.string().trim().min(10).max(500).describe('Why access is needed; written to the audit log.'),
  })
  .meta({ id: 'BreakGlassBody' });

const OpeningView = z
  .object({
    id: z.uuid(),
    access_token: z.string().describe('A read-only bearer token; shown only once.'),
    expires_in: z.int().describe('The lifetime of the token in seconds.'),
    expires_at: Timestamp.describe('In system time, not on the sandbox clock.'),
  })
  .meta({ id: 'BreakGlassOpening' });

const PastOpeningView = z
  .object({
    id: z.uuid().describe('The `key_id` of its accesses in the access log.'),
    reason: z.string(),
    opened_by: z.string().describe('The id of the management key.'),
    opened_at: Timestamp,
    ends_at: Timestamp,
    ended_at: Timestamp.nullable().describe('When it was ended early; null if it was not.'),
    is_open: z.boolean(),
  })
  .meta({ id: 'BreakGlassPastOpening' });

/** Emergency read access to the data of a team, for Org Management Keys only. */
export function breakGlassRoutes(http: Http, app: App): void {
  list(http, app);
  open(http, app);
  end(http, app);
}

function list(http: Http, app: App): void {
  const scoped = createTenantAuthorizer(app);
  http.management.get(BASE, {
    schema: {
      operationId: 'listBreakGlass',
      summary: 'List break-glass openings, newest first',
      tag,
      params: BreakGlassParams,
      query: z.object({ next_cursor: PageCursor }),
      response: { 200: z.object({ data: z.array(PastOpeningView), next_cursor: z.string().nullable() }) },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const tenant = await scoped(principal, params);
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listOpenings(tx, { tenant, ...page })),
      );
      return { data: items.map((row) => toPastOpeningView(row, app.clock.now())), next_cursor };
    },
  });
}

function open(http: Http, app: App): void {
  const scoped = createTenantAuthorizer(app);
  http.management.post(BASE, {
    schema: {
      operationId: 'openBreakGlass',
      summary: 'Open break-glass access to a team',
      description:
        'For emergencies: read access for 60 minutes. The opening and its reason are written to the audit log and ' +
        'every access to the access log. The service logs a warning, and e-mails the address of the team for ' +
        'critical results.',
      tag,
      params: BreakGlassParams,
      body: BreakGlassBody,
      response: { 200: OpeningView },
    },
    handler: async (input) => {
      requireOrgKey(input.principal, input.params.org_id);
      const opened = await openBreakGlass(app, await authorizeChange(scoped, input), input.body.reason);
      return {
        id: opened.id,
        access_token: opened.token,
        expires_in: opened.expiresInSeconds,
        expires_at: isoTimestamp(opened.endsAt),
      };
    },
  });
}

function end(http: Http, app: App): void {
  const scoped = createTenantAuthorizer(app);
  http.management.delete(`${BASE}/:opening_id`, {
    schema: {
      operationId: 'endBreakGlass',
      summary: 'End a break-glass opening early',
      tag,
      params: BreakGlassParams.extend({ opening_id: z.guid() }),
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      requireOrgKey(input.principal, input.params.org_id);
      await endBreakGlass(app, await authorizeChange(scoped, input), input.params.opening_id.toLowerCase());
      return { success: true };
    },
  });
}

type BreakGlassOpeningRow = Awaited<ReturnType<typeof listOpenings>>[number];

const toPastOpeningView = (row: BreakGlassOpeningRow, now: Date): z.input<typeof PastOpeningView> => ({
  id: row.id,
  reason: row.reason,
  opened_by: row.opened_by,
  opened_at: isoTimestamp(row.opened_at),
  ends_at: isoTimestamp(row.ends_at),
  ended_at: row.ended_at && isoTimestamp(row.ended_at),
  is_open: row.ended_at === null && row.ends_at > now,
});
