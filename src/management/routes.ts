import { z } from 'zod';
import type { App } from '../app.ts';
import type { Http } from '../platform/http/http.ts';
import { asSystem } from '../platform/db/transact.ts';
import { isoMoment } from '../platform/clock.ts';
import { authorOf } from './audit.ts';
import { clockRoutes } from './clock-routes.ts';
import { Label } from './key-schema.ts';
import { keyRoutes } from './key-routes.ts';
import { managementKeyRoutes } from './management-key-routes.ts';
import { getOrganization, renameOrganization } from './organizations.ts';
import { ownTeamRoutes } from './own-team-routes.ts';
import { pageOf, readCursor } from './page.ts';
import { requireOrgKey, scopedList } from './scope.ts';
import { listDeeds, type OrganizationRow } from './store.ts';
import { teamRoutes } from './team-routes.ts';

const tag = 'Management';
const OrgId = z.object({ org_id: z.guid() });
const Moment = z.iso.datetime({ offset: true });

/** Organizations, teams, keys, the sandbox clock and the audit log; and what a team may read of itself. */
export function managementRoutes(http: Http, app: App): void {
  organizationRoutes(http, app);
  teamRoutes(http, app);
  keyRoutes(http, app);
  managementKeyRoutes(http, app);
  clockRoutes(http, app);
  auditRoutes(http, app);
  ownTeamRoutes(http, app);
}

const OrganizationView = z
  .object({ id: z.uuid(), name: z.string(), expires_at: Moment.nullable() })
  .meta({ id: 'ClientFacingOrg' });

const viewOrganization = ({ id, name }: OrganizationRow) => ({ id, name, expires_at: null });

/** The contract names the operation and no body; the name is all that may change. */
const ChangeOrganization = z.object({ name: Label.nullish() }).nullish();

function organizationRoutes(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id', {
    schema: {
      operationId: 'getOrganization',
      summary: 'Read the organization',
      tag,
      params: OrgId,
      response: { 200: OrganizationView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return viewOrganization(await getOrganization(app, principal.orgId));
    },
  });

  http.management.patch('/v1/org/:org_id', {
    schema: {
      operationId: 'changeOrganization',
      summary: 'Rename the organization',
      tag,
      params: OrgId,
      body: ChangeOrganization,
      response: { 200: OrganizationView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const by = authorOf({ principal, from });
      const name = body?.name ?? undefined;
      return viewOrganization(await renameOrganization(app, { orgId: principal.orgId, name, by }));
    },
  });
}

const DeedView = z
  .object({
    id: z.uuid(),
    team_id: z.uuid().nullable(),
    actor: z.string().describe('The id of the key, or `service`.'),
    action: z.string(),
    subject: z.string().describe('The id of what was changed.'),
    before: z.unknown(),
    after: z.unknown(),
    address: z.string().nullable(),
    request_id: z.string().nullable(),
    created_at: Moment,
  })
  .meta({ id: 'AuditLogEntry' });

const AuditQuery = z.object({
  team_id: z.guid().nullish(),
  next_cursor: z.string().max(200).nullish(),
  limit: z.int().min(1).max(500).default(100),
});

function auditRoutes(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id/audit_log', {
    schema: {
      operationId: 'listAuditLog',
      summary: 'Read who changed what, newest first',
      tag,
      params: OrgId,
      query: AuditQuery,
      response: { 200: z.object({ data: z.array(DeedView), next_cursor: z.string().nullable() }) },
    },
    handler: async ({ principal, params, query }) => {
      const team = await scopedList(app, principal, { ...params, team_id: query.team_id });
      const page = { orgId: principal.orgId, teamId: team?.id, before: readCursor(query.next_cursor) };
      const rows = await asSystem(app.db, (tx) => listDeeds(tx, { ...page, limit: query.limit + 1 }));
      const { items, next_cursor } = pageOf(rows, query.limit);
      const data = items.map((row) => ({ ...row, created_at: isoMoment(row.created_at) }));
      return { data, next_cursor };
    },
  });
}
