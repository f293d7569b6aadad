import { z } from 'zod';
import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import type { Http } from '../../platform/http/http.ts';
import { actorOf, requireOrgKey } from '../management/management.ts';
import { listAccess } from '../roles/roles.ts';
import { findMemberById } from '../organizations/organizations.ts';
import { expiredCookie } from './session-cookie.ts';
import {
  AccessView,
  SessionList,
  SessionView,
  toAccessView,
  toSessionListView,
  toSessionView,
} from './session-schema.ts';
import { listSessions } from './session-store.ts';
import {
  endSession,
  memberActor,
  requireCurrentCsrfToken,
  requireSession,
  sessionLimits,
} from './sessions.ts';

const tag = 'Accounts';
const SessionId = z.object({ session_id: z.guid() });
const MemberPath = z.object({ org_id: z.guid(), member_id: z.guid() });

/** The sessions of a member, for the member and for administrators. */
export function sessionRoutes(http: Http, app: App): void {
  current(http, app);
  own(http, app);
  ofMember(http, app);
}

function current(http: Http, app: App): void {
  http.open.get('/v1/session', {
    schema: {
      operationId: 'getSession',
      summary: 'Get the current session',
      description: 'Extension. The member that the session cookie belongs to; 401 without an active session.',
      tag,
      usesSession: true,
      response: { 200: SessionView },
    },
    handler: async (request) =>
      toSessionView(await requireSession(app, request), requireCurrentCsrfToken(app, request)),
  });

  http.open.get('/v1/session/access', {
    schema: {
      operationId: 'getSessionAccess',
      summary: 'Get what you may do',
      description:
        'Extension. The teams of the signed-in member and what the roles of the member permit in each environment. ' +
        'It tells a program what to offer; every operation checks again.',
      tag,
      usesSession: true,
      response: { 200: AccessView },
    },
    handler: async (request) => {
      const { memberId } = await requireSession(app, request);
      const access = requireFound(await listAccess(app, memberId), 'Member');
      return toAccessView(access, app.config.SESSION_IDLE_MINUTES);
    },
  });

  http.open.delete('/v1/session', {
    schema: {
      operationId: 'signOut',
      summary: 'Sign out',
      description:
        'Extension. Ends the current session and removes its cookie. Needs the x-csrf-token header.',
      tag,
      usesSession: true,
      response: { 204: null },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      const by = memberActor(session, request.from);
      await endSession(app, { ...session, by });
      request.setCookie(expiredCookie(app, 'session'));
    },
  });
}

function own(http: Http, app: App): void {
  http.open.get('/v1/account/session', {
    schema: {
      operationId: 'listOwnSessions',
      summary: 'List your sessions',
      description: 'Extension. The active sessions of the signed-in member.',
      tag,
      usesSession: true,
      response: { 200: SessionList },
    },
    handler: async (request) => {
      const { memberId, sessionId } = await requireSession(app, request);
      const rows = await asSystem(app.db, (tx) => listSessions(tx, memberId, sessionLimits(app)));
      return toSessionListView(rows, sessionId);
    },
  });

  http.open.delete('/v1/account/session/:session_id', {
    schema: {
      operationId: 'revokeOwnSession',
      summary: 'Revoke one of your sessions',
      description: 'Extension. Ends it at once on every node. Needs the x-csrf-token header.',
      tag,
      usesSession: true,
      params: SessionId,
      response: { 204: null },
    },
    handler: async (request) => {
      const session = await requireSession(app, request);
      const by = memberActor(session, request.from);
      await endSession(app, { ...session, sessionId: request.params.session_id, by });
    },
  });
}

function ofMember(http: Http, app: App): void {
  const path = '/v1/org/:org_id/member/:member_id/session';
  const find = (orgId: string, memberId: string) =>
    asSystem(app.db, async (tx) => {
      const member = await findMemberById(tx, memberId);
      return requireFound(member?.org_id === orgId ? member : undefined, 'Member').id;
    });

  http.management.get(path, {
    schema: {
      operationId: 'listMemberSessions',
      summary: 'List the sessions of a member',
      description: 'Extension. The active sessions of a member of the organization.',
      tag,
      params: MemberPath,
      response: { 200: SessionList },
    },
    handler: async ({ principal, params }) => {
      requireOrgKey(principal, params.org_id);
      const memberId = await find(principal.orgId, params.member_id);
      const rows = await asSystem(app.db, (tx) => listSessions(tx, memberId, sessionLimits(app)));
      return toSessionListView(rows);
    },
  });

  http.management.delete(`${path}/:session_id`, {
    schema: {
      operationId: 'revokeMemberSession',
      summary: 'Revoke a session of a member',
      description: 'Extension. Ends it at once on every node.',
      tag,
      params: MemberPath.extend({ session_id: z.guid() }),
      response: { 204: null },
    },
    handler: async ({ principal, from, params }) => {
      requireOrgKey(principal, params.org_id);
      const memberId = await find(principal.orgId, params.member_id);
      const by = actorOf({ principal, from });
      await endSession(app, { orgId: principal.orgId, memberId, sessionId: params.session_id, by });
    },
  });
}
