import { z } from 'zod';
import type { App } from '../app.ts';
import { authorOf, pageOf, readCursor, requireOrgKey, type Caller } from '../management/management.ts';
import { asSystem } from '../platform/db/transact.ts';
import type { Http } from '../platform/http/http.ts';
import { answer } from '../platform/http/route.ts';
import { listMembers } from './member-store.ts';
import {
  changeMember,
  createMember,
  deleteMember,
  ForeignIdTaken,
  getMember,
  resolveMember,
} from './members.ts';
import {
  ChangeMember,
  CreateMember,
  MemberId,
  MemberList,
  MemberTaken,
  MemberView,
  OrgId,
  ResolveMember,
  viewMember,
} from './schema.ts';

const tag = 'EHR integration';
const MEMBERS = '/v1/org/:org_id/ehr_integration/member';
const PAGE_SIZE = 100;

/** The people of the organization's record system; for Org Management Keys only. */
export function ehrMemberRoutes(http: Http, app: App): void {
  list(http, app);
  create(http, app);
  read(http, app);
  change(http, app);
}

function actingOf({ principal, from, params }: Caller & { params: { org_id: string } }) {
  requireOrgKey(principal, params.org_id);
  return { orgId: principal.orgId, by: authorOf({ principal, from }) };
}

function list(http: Http, app: App): void {
  http.management.get(MEMBERS, {
    schema: {
      operationId: 'listEhrMembers',
      summary: 'List the people of the record system',
      tag,
      params: OrgId,
      query: z.object({ next_cursor: z.string().max(200).nullish() }),
      response: { 200: MemberList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const page = { orgId: principal.orgId, after: readCursor(query.next_cursor), limit: PAGE_SIZE + 1 };
      const { items, next_cursor } = pageOf(await asSystem(app.db, (tx) => listMembers(tx, page)), PAGE_SIZE);
      return { data: items.map(viewMember), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(MEMBERS, {
    schema: {
      operationId: 'createEhrMember',
      summary: 'Make a person of the record system known under its id',
      tag,
      params: OrgId,
      body: CreateMember,
      response: { 200: MemberView, 409: MemberTaken },
    },
    handler: async (input) => {
      try {
        return viewMember(await createMember(app, actingOf(input), input.body));
      } catch (error) {
        if (!(error instanceof ForeignIdTaken)) throw error;
        const taken = { member_id: error.memberId };
        return answer<{ 200: typeof MemberView; 409: typeof MemberTaken }, 409>(409, taken);
      }
    },
  });
}

function read(http: Http, app: App): void {
  http.management.get(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'getEhrMember',
      summary: 'Read a person of the record system',
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
      summary: 'Find a person by the id of the record system',
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
      summary: 'Change what is known of a person of the record system',
      description: 'What is not given stays. The id of the record system cannot be changed.',
      tag,
      params: MemberId,
      body: ChangeMember,
      response: { 200: MemberView },
    },
    handler: async (input) =>
      viewMember(await changeMember(app, { ...actingOf(input), id: input.params.member_id }, input.body)),
  });

  http.management.delete(`${MEMBERS}/:member_id`, {
    schema: {
      operationId: 'deleteEhrMember',
      summary: 'Forget a person of the record system',
      tag,
      params: MemberId,
      response: { 200: z.object({ success: z.boolean() }) },
    },
    handler: async (input) => {
      await deleteMember(app, { ...actingOf(input), id: input.params.member_id });
      return { success: true };
    },
  });
}
