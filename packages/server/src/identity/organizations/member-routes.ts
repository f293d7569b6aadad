import type { App } from '../../app.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { readPage } from '../../platform/http/page.ts';
import { listMembers, requireMemberOf } from './member-store.ts';
import { changeMember, mayChangeOwners, removeMember } from './members.ts';
import {
  ChangeMember,
  MemberId,
  MemberList,
  MemberQuery,
  MemberView,
  OrgId,
  Success,
  teamIdsOf,
  viewMember,
} from './schema.ts';

const tag = 'Management';
const MEMBERS = '/v1/org/:org_id/member';

/** The members of the organization; for Org Management Keys only. */
export function memberRoutes(http: Http, app: App): void {
  list(http, app);
  one(http, app);
  change(http, app);
  remove(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(MEMBERS, {
    schema: {
      operationId: 'listMembers',
      summary: 'List the members of the organization',
      tag,
      params: OrgId,
      query: MemberQuery,
      response: { 200: MemberList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const filter = { orgId: principal.orgId, search: query.search_query ?? undefined };
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listMembers(tx, { ...filter, ...page })),
      );
      return { members: items.map(viewMember), next_cursor };
    },
  });
}

function one(http: Http, app: App): void {
  http.management.get(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'getMember',
      summary: 'Get a member of the organization',
      description: 'Extension. As in the list of members; 404 for a member of another organization.',
      tag,
      params: MemberId,
      response: { 200: MemberView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return viewMember(
        await asSystem(app.db, (tx) => requireMemberOf(tx, principal.orgId, params.member_id)),
      );
    },
  });
}

function change(http: Http, app: App): void {
  http.management.patch(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'changeMember',
      summary: 'Change the role or teams of a member',
      description:
        '409 for the last active org_admin, who must keep the role and the access. A member who is not an owner can change no owner: 403.',
      tag,
      params: MemberId,
      body: ChangeMember,
      response: { 200: Success },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      await changeMember(app, {
        orgId: principal.orgId,
        id: params.member_id,
        role: body.role ?? undefined,
        teamIds: teamIdsOf(body.team_role_bindings),
        isOwner: body.is_owner ?? undefined,
        roles: body.roles ?? undefined,
        isActive: body.is_active ?? undefined,
        mayChangeOwners: mayChangeOwners(principal),
        by: actorOf({ principal, from }),
      });
      return { success: true };
    },
  });
}

function remove(http: Http, app: App): void {
  http.management.delete(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'removeMember',
      summary: 'Remove a member from the organization',
      description:
        '409 for the last org_admin, who cannot be removed. A member who is not an owner can remove no owner: 403.',
      tag,
      params: MemberId,
      response: { 200: Success },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      const id = params.member_id;
      await removeMember(app, {
        orgId: principal.orgId,
        id,
        mayChangeOwners: mayChangeOwners(principal),
        by,
      });
      return { success: true };
    },
  });
}
