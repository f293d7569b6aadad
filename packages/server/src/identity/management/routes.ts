import { z } from 'zod';
import type { App } from '../../app.ts';
import type { Http } from '../../platform/http/http.ts';
import { Timestamp } from '../../platform/timestamp.ts';
import { actorOf } from './audit.ts';
import { auditRoutes } from './audit-routes.ts';
import { breakGlassRoutes } from './break-glass-routes.ts';
import { clockRoutes } from './clock-routes.ts';
import { Label } from './key-schema.ts';
import { keyRoutes } from './key-routes.ts';
import { managementKeyRoutes } from './management-key-routes.ts';
import { getOrganization, renameOrganization } from './organizations.ts';
import { credentialRoutes } from './credential-routes.ts';
import { ownTeamRoutes } from './own-team-routes.ts';
import { requireOrgKey } from './scope.ts';
import type { OrganizationRow } from './store.ts';
import { teamRoutes } from './team-routes.ts';
import { tokenRoutes } from './token-routes.ts';

const tag = 'Management';
const OrgId = z.object({ org_id: z.guid() });

/**
 * Organizations, teams, keys, the sandbox clock and the audit log; and the routes on which a team reads its own data.
 */
export function managementRoutes(http: Http, app: App): void {
  organizationRoutes(http, app);
  teamRoutes(http, app);
  keyRoutes(http, app);
  managementKeyRoutes(http, app);
  clockRoutes(http, app);
  auditRoutes(http, app);
  breakGlassRoutes(http, app);
  tokenRoutes(http, app);
  ownTeamRoutes(http, app);
  credentialRoutes(http);
}

const OrganizationView = z
  .object({ id: z.uuid(), name: z.string(), expires_at: Timestamp.nullable() })
  .meta({ id: 'ClientFacingOrg' });

const toOrganizationView = ({ id, name }: OrganizationRow) => ({ id, name, expires_at: null });

/** The contract defines no body for this operation; only the name can change. */
const ChangeOrganizationBody = z
  .object({ name: Label.nullish().describe('The new name; null keeps it.') })
  .nullish();

function organizationRoutes(http: Http, app: App): void {
  http.management.get('/v1/org/:org_id', {
    schema: {
      operationId: 'getOrganization',
      summary: 'Get the organization',
      tag,
      params: OrgId,
      response: { 200: OrganizationView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return toOrganizationView(await getOrganization(app, principal.orgId));
    },
  });

  http.management.patch('/v1/org/:org_id', {
    schema: {
      operationId: 'changeOrganization',
      summary: 'Rename the organization',
      tag,
      params: OrgId,
      body: ChangeOrganizationBody,
      response: { 200: OrganizationView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      const name = body?.name ?? undefined;
      return toOrganizationView(await renameOrganization(app, { orgId: principal.orgId, name, by }));
    },
  });
}
