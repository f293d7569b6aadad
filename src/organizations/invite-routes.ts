import type { App } from '../app.ts';
import { authorOf, pageOf, readCursor, requireOrgKey } from '../management/management.ts';
import { isoMoment } from '../platform/clock.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError } from '../platform/errors.ts';
import type { Http } from '../platform/http/http.ts';
import { check } from '../platform/http/validate.ts';
import { acceptPage } from './accept-page.ts';
import { listInvites } from './invite-store.ts';
import { acceptInvite, invite, withdrawInvite } from './invites.ts';
import {
  AcceptedInvite,
  AcceptInvite,
  CreateInvite,
  InviteId,
  InviteList,
  InviteQuery,
  MadeInvite,
  OrgId,
  Success,
  teamIdsOf,
  viewInvite,
  viewMember,
} from './schema.ts';

const tag = 'Management';
const INVITES = '/v1/org/:org_id/invite';
const PAGE_SIZE = 100;

/** Invites, for Org Management Keys; and how one is accepted, for whoever has its link. */
export function inviteRoutes(http: Http, app: App): void {
  list(http, app);
  create(http, app);
  withdraw(http, app);
  accept(http, app);
}

function list(http: Http, app: App): void {
  http.management.get(INVITES, {
    schema: {
      operationId: 'listInvites',
      summary: 'List the invites that were not accepted so far',
      tag,
      params: OrgId,
      query: InviteQuery,
      response: { 200: InviteList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const page = {
        orgId: principal.orgId,
        search: query.search_query ?? undefined,
        after: readCursor(query.next_cursor),
        limit: PAGE_SIZE + 1,
      };
      const { items, next_cursor } = pageOf(await asSystem(app.db, (tx) => listInvites(tx, page)), PAGE_SIZE);
      return { invites: items.map(viewInvite), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(INVITES, {
    schema: {
      operationId: 'createInvite',
      summary: 'Invite somebody into the organization, or send the invite again',
      description:
        'The link is mailed, or answered where no mail server is connected. It lives for 7 days and is used once; ' +
        'inviting the same address again makes a new one. A 503 means that the invite is there and was not mailed.',
      tag,
      params: OrgId,
      body: CreateInvite,
      response: { 200: MadeInvite },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const { status, url, expiresAt } = await invite(app, {
        orgId: principal.orgId,
        email: body.email,
        role: body.role,
        teamIds: teamIdsOf(body.team_role_bindings) ?? [],
        createdBy: principal.keyId,
        by: authorOf({ principal, from }),
      });
      return { status, invite_url: url, expires_at: expiresAt && isoMoment(expiresAt) };
    },
  });
}

function withdraw(http: Http, app: App): void {
  http.management.delete(`${INVITES}/:invite_id`, {
    schema: {
      operationId: 'withdrawInvite',
      summary: 'Withdraw an invite; its link is dead at once',
      tag,
      params: InviteId,
      response: { 200: Success },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = authorOf({ principal, from });
      await withdrawInvite(app, { orgId: principal.orgId, id: params.invite_id, by });
      return { success: true };
    },
  });
}

/** Without a key: the token of the link is what proves that the caller was invited. */
function accept(http: Http, app: App): void {
  http.inbound('/v1/invite/accept', {
    schema: {
      operationId: 'acceptInvite',
      summary: 'Accept an invite and become a member of the organization',
      description:
        'Ours. JSON with the `token` of the link and the `name` of whoever accepts. 404 for a token that was used or ' +
        'withdrawn, or is older than 7 days. The page at /invite does this for people.',
      tag,
      response: { 200: AcceptedInvite },
    },
    handler: async ({ body, from }) => {
      const { token, name } = check(AcceptInvite, readJson(body), 'body');
      const { organization, member } = await acceptInvite(app, { token, name, from });
      return { organization, member: viewMember(member) };
    },
  });

  http.page('/invite', {
    handler: async () => ({ status: 200, type: 'text/html; charset=utf-8', text: acceptPage }),
  });
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw new DomainError('bad_request', 'The body is not JSON: expected token and name');
  }
}
