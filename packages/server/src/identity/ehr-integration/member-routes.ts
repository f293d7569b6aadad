import { z } from 'zod';
import type { App } from '../../app.ts';
import { actorOf, requireOrgKey, type ManagementCaller } from '../management/management.ts';
import { asSystem } from '../../platform/db/transact.ts';
import type { Http } from '../../platform/http/http.ts';
import { respondWith } from '../../platform/http/route.ts';
import { PageCursor, readPage } from '../../platform/http/page.ts';
import { listMembers } from './member-store.ts';
import {
  changeMember,
  createMember,
  deleteMember,
  IntegrationMemberIdConflict,
  getMember,
  resolveMember,
} from './members.ts';
import {
  ChangeMember,
  CreateMember,
  MemberId,
  MemberList,
  MemberConflict,
  MemberView,
  OrgId,
  ResolveMember,
  viewMember,
} from './schema.ts';

const tag = 'EHR integration';
const MEMBERS = '/v1/org/:org_id/ehr_integration/member';

/** The members of an organization that its EHR manages; for Org Management Keys only. */
export function ehrMemberRoutes(http: Http, app: App): void {
  list(http, app);
  create(http, app);
  read(http, app);
  change(http, app);
}

function toMemberCommand({ principal, from, params }: ManagementCaller & { params: { org_id: string } }) {
  requireOrgKey(principal, params.org_id);
  return { orgId: principal.orgId, by: actorOf({ principal, from }) };
}

function list(http: Http, app: App): void {
  http.management.get(MEMBERS, {
    schema: {
      operationId: 'listEhrMembers',
      summary: 'List EHR-managed members',
      tag,
      params: OrgId,
      query: z.object({ next_cursor: PageCursor }),
      response: { 200: MemberList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listMembers(tx, { orgId: principal.orgId, ...page })),
      );
      return { data: items.map(viewMember), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(MEMBERS, {
    schema: {
      operationId: 'createEhrMember',
      summary: 'Create an EHR-managed member',
      tag,
      params: OrgId,
      body: CreateMember,
      response: { 200: MemberView, 409: MemberConflict },
    },
    handler: async (input) => {
      try {
        return viewMember(await createMember(app, toMemberCommand(input), input.body));
      } catch (error) {
        if (!(error instanceof IntegrationMemberIdConflict)) throw error;
        const taken = { member_id: error.memberId };
        return respondWith<{ 200: typeof MemberView; 409: typeof MemberConflict }, 409>(409, taken);
      }
    },
  });
}

function read(http: Http, app: App): void {
  http.management.get(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'getEhrMember',
      summary: 'Read an EHR-managed member',
      tag,
      params: MemberId,
      response: { 200: MemberView },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      return viewMember(await getMember(app, principal.orgId, params.member_id));
    },
  });

  http.management.post('/v1/org/:org_id/ehr_integration/resolve_member', {
    schema: {
      operationId: 'resolveEhrMember',
      summary: 'Find a member by integration member id',
      tag,
      params: OrgId,
      body: ResolveMember,
      response: { 200: MemberView },
    },
    handler: async ({ principal, params, body }) => {
      requireOrgKey(principal, params.org_id);
      return viewMember(await resolveMember(app, principal.orgId, body.integration_member_id));
    },
  });
}

function change(http: Http, app: App): void {
  http.management.patch(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'changeEhrMember',
      summary: 'Update an EHR-managed member',
      description: 'Omitted fields are kept. The integration_member_id cannot be changed.',
      tag,
      params: MemberId,
      body: ChangeMember,
      response: { 200: MemberView },
    },
    handler: async (input) =>
      viewMember(
        await changeMember(app, { ...toMemberCommand(input), id: input.params.member_id }, input.body),
      ),
  });

  http.management.delete(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'deleteEhrMember',
      summary: 'Delete an EHR-managed member',
      tag,
      params: MemberId,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      await deleteMember(app, { ...toMemberCommand(input), id: input.params.member_id });
      return { success: true };
    },
  });
}
