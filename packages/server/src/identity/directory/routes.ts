import type { App } from '../../app.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { readPage } from '../../platform/http/page.ts';
import { listGroupsAfter } from './group-store.ts';
import { setGroupRoles } from './groups.ts';
import {
  CreateDirectoryToken,
  DirectoryGroupId,
  DirectoryGroupList,
  DirectoryGroupQuery,
  DirectoryGroupView,
  DirectoryTokenId,
  DirectoryTokenList,
  DirectoryTokenView,
  OrgId,
  SetDirectoryGroupRoles,
  viewGroup,
  viewToken,
} from './schema.ts';
import { scimRoutes } from './scim-routes.ts';
import { listTokens } from './token-store.ts';
import { createDirectoryToken, revokeDirectoryToken } from './tokens.ts';

const tag = 'Management';
const TOKENS = '/v1/org/:org_id/directory_token';
const GROUPS = '/v1/org/:org_id/directory_group';

/** The directory of an organization: SCIM itself, its tokens, and what its groups grant. */
export function directoryRoutes(http: Http, app: App): void {
  scimRoutes(http, app);
  tokenRoutes(http, app);
  tokenRevocation(http, app);
  groupRoutes(http, app);
}

function tokenRoutes(http: Http, app: App): void {
  http.management.get(TOKENS, {
    schema: {
      operationId: 'listDirectoryTokens',
      summary: 'List the directory tokens',
      description: 'Extension. The tokens with which the directory of the organization calls /scim/v2.',
      tag,
      params: OrgId,
      response: { 200: DirectoryTokenList },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      const rows = await asSystem(app.db, (tx) => listTokens(tx, principal.orgId));
      return { data: rows.map((row) => viewToken(row)) };
    },
  });

  http.management.post(TOKENS, {
    schema: {
      operationId: 'createDirectoryToken',
      summary: 'Create a directory token',
      description:
        'Extension. The value is returned only in this response. Two can work at a time, so that a token is rotated ' +
        'by creating the next one and revoking the old one; 409 for a third.',
      tag,
      params: OrgId,
      body: CreateDirectoryToken,
      response: { 200: DirectoryTokenView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const { row, value } = await createDirectoryToken(app, {
        orgId: principal.orgId,
        label: body.label,
        expiresAt: parseExpiry(app, body.expires_at),
        createdBy: principal.keyId,
        by: actorOf({ principal, from }),
      });
      return viewToken(row, value);
    },
  });
}

function tokenRevocation(http: Http, app: App): void {
  http.management.delete(`${TOKENS}/:directory_token_id`, {
    schema: {
      operationId: 'deleteDirectoryToken',
      summary: 'Revoke a directory token',
      description: 'Extension. It is invalid at once. Members and groups stay as they are.',
      tag,
      params: DirectoryTokenId,
      response: { 200: DirectoryTokenView },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      return viewToken(
        await revokeDirectoryToken(app, { orgId: principal.orgId, id: params.directory_token_id, by }),
      );
    },
  });
}

function parseExpiry(app: App, text: string | null | undefined): Date | null {
  if (!text) return null;
  const at = new Date(text);
  const now = app.clock.now();
  if (at > now) return at;
  throw invalidField(['body', 'expires_at'], `expected a time after ${now.toISOString()}`);
}

function groupRoutes(http: Http, app: App): void {
  http.management.get(GROUPS, {
    schema: {
      operationId: 'listDirectoryGroups',
      summary: 'List the groups of the directory',
      description: 'Extension. The groups that the directory has pushed, and the roles that each grants.',
      tag,
      params: OrgId,
      query: DirectoryGroupQuery,
      response: { 200: DirectoryGroupList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listGroupsAfter(tx, principal.orgId, page)),
      );
      return { data: items.map(viewGroup), next_cursor };
    },
  });

  http.management.put(`${GROUPS}/:group_id/roles`, {
    schema: {
      operationId: 'setDirectoryGroupRoles',
      summary: 'Set the roles that a group grants',
      description:
        'Extension. Every member of the group has these roles, beside those of other groups and those given by hand. ' +
        'A group without roles gives no access. 409 where a member would take away the last owner by it.',
      tag,
      params: DirectoryGroupId,
      body: SetDirectoryGroupRoles,
      response: { 200: DirectoryGroupView },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const changed = await setGroupRoles(app, {
        orgId: principal.orgId,
        id: params.group_id,
        roles: body.roles,
        by: actorOf({ principal, from }),
      });
      return viewGroup(changed);
    },
  });
}
