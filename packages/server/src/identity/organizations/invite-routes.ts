import type { App } from '../../app.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import { isoTimestamp } from '../../platform/clock.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { invalidField } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { redirectTo } from '../../platform/http/redirect.ts';
import { validate } from '../../platform/http/validate.ts';
import { readPage } from '../../platform/http/page.ts';
import { listInvites } from './invite-store.ts';
import { acceptInvite, sendInvite, withdrawInvite, type PasswordPreparer } from './invites.ts';
import { mayChangeOwners } from './members.ts';
import {
  AcceptedInvite,
  AcceptInvite,
  CreateInvite,
  InviteId,
  InviteList,
  InviteQuery,
  CreatedInvite,
  OrgId,
  Success,
  teamIdsOf,
  viewInvite,
  viewMember,
} from './schema.ts';

const tag = 'Management';
const INVITES = '/v1/org/:org_id/invite';

/** What the accounts of members provide: this module knows nothing of them. */
export interface InviteAccounts {
  readonly preparePassword: PasswordPreparer;
  /** Runs an attempt at a token; throws a 429 after too many wrong ones from the network of the address. */
  readonly limitGuesses: <T>(app: App, address: string, attempt: () => Promise<T>) => Promise<T>;
}

/** Managing invites, for Org Management Keys, and accepting one, for anyone who has its link. */
export function inviteRoutes(http: Http, app: App, accounts: InviteAccounts): void {
  list(http, app);
  create(http, app);
  withdraw(http, app);
  accept(http, app, accounts);
}

function list(http: Http, app: App): void {
  http.management.get(INVITES, {
    schema: {
      operationId: 'listInvites',
      summary: 'List pending invites',
      tag,
      params: OrgId,
      query: InviteQuery,
      response: { 200: InviteList },
    },
    handler: async ({ principal, params, query }) => {
      requireOrgKey(principal, params.org_id);
      const filter = { orgId: principal.orgId, search: query.search_query ?? undefined };
      const { items, next_cursor } = await readPage(query, (page) =>
        asSystem(app.db, (tx) => listInvites(tx, { ...filter, ...page })),
      );
      return { invites: items.map(viewInvite), next_cursor };
    },
  });
}

function create(http: Http, app: App): void {
  http.management.post(INVITES, {
    schema: {
      operationId: 'createInvite',
      summary: 'Create or resend an invite',
      description:
        'The link is e-mailed, or returned where no mail server is configured. It is valid for 7 days and can be ' +
        'used once; inviting the same address again replaces it. A 503 means that the invite ' +
        'exists but was not e-mailed.',
      tag,
      params: OrgId,
      body: CreateInvite,
      response: { 200: CreatedInvite },
    },
    handler: async ({ principal, from, params, body }) => {
      requireOrgKey(principal, params.org_id);
      const { status, url, expiresAt } = await sendInvite(app, {
        orgId: principal.orgId,
        email: body.email,
        role: body.role,
        teamIds: teamIdsOf(body.team_role_bindings) ?? [],
        isOwner: body.is_owner ?? false,
        roles: body.roles ?? [],
        mayChangeOwners: mayChangeOwners(principal),
        createdBy: principal.keyId,
        by: actorOf({ principal, from }),
      });
      return { status, invite_url: url, expires_at: expiresAt && isoTimestamp(expiresAt) };
    },
  });
}

function withdraw(http: Http, app: App): void {
  http.management.delete(`${INVITES}/:invite_id`, {
    schema: {
      operationId: 'withdrawInvite',
      summary: 'Withdraw an invite',
      description: 'Its link becomes invalid immediately.',
      tag,
      params: InviteId,
      response: { 200: Success },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const by = actorOf({ principal, from });
      await withdrawInvite(app, { orgId: principal.orgId, id: params.invite_id, by });
      return { success: true };
    },
  });
}

/** Needs no key: the token in the link authenticates the caller. */
function accept(http: Http, app: App, { preparePassword, limitGuesses }: InviteAccounts): void {
  http.inbound('/v1/invite/accept', {
    schema: {
      operationId: 'acceptInvite',
      summary: 'Accept an invite',
      description:
        'Extension. Creates the member. The body is JSON with the `token` of the link, the `name` of the new member, ' +
        'and optionally a `password` of 12 to 200 characters, hard to guess, to sign in with. ' +
        '404 for a token that was used or withdrawn, or is older than 7 days; 429 after 30 wrong ones within 15 minutes ' +
        'from one network. The page at /invite calls this.',
      tag,
      response: { 200: AcceptedInvite },
    },
    handler: async ({ body, from }) => {
      const { password, ...asked } = validate(AcceptInvite, readJson(body), 'body');
      const answer = { ...asked, password: password ?? undefined, preparePassword, from };
      const { organization, member } = await limitGuesses(app, from.address, () => acceptInvite(app, answer));
      return { organization, member: viewMember(member) };
    },
  });

  // Browsers keep the fragment of the link, which has the token.
  http.visit('/invite', redirectTo(app, '/dashboard/invite'));
}

function readJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    throw invalidField(['body'], 'The body is not JSON; expected an object with token and name');
  }
}
