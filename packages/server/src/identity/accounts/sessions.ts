import DataLoader from 'dataloader';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import type { App } from '../../app.ts';
import { earliest, HOUR, later, MINUTE } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import { newId } from '../../platform/ids.ts';
import { MEMBER_ACTOR, writeAuditEntry, type AuditActor } from '../management/management.ts';
import { lockActiveMember } from '../organizations/organizations.ts';
import { requirePermittedMethod } from './permitted-method.ts';
import { csrfTokenOf, readCookieToken, requireCsrfToken, secretCookie } from './session-cookie.ts';
import * as store from './session-store.ts';
import type { SecondFactorMethod, SignInMethod } from './table.ts';

const USER_AGENT_MAX = 300;
/** Within this time after they showed their credentials, members may do what is dangerous. */
export const RECENT_MS = 5 * MINUTE;
/** How many times an idle time-out is divided: a busy session writes its last use only so often. */
const TOUCHES_PER_TIMEOUT = 15;

/** The signed-in member that a request comes from. */
export interface MemberSession {
  readonly sessionId: string;
  readonly memberId: string;
  readonly orgId: string;
  readonly name: string;
  readonly email: string;
  /** How the member signed in. */
  readonly method: SignInMethod;
  /** When the member last showed credentials. */
  readonly authenticatedAt: Date;
}

type SessionReference = Pick<MemberSession, 'orgId' | 'memberId' | 'sessionId'>;

/** Where a session begins. */
export interface SessionOrigin {
  readonly method: SignInMethod;
  /** What the member showed besides. */
  readonly secondFactor?: SecondFactorMethod;
  readonly address: string;
  readonly requestId?: string;
  readonly userAgent?: string | undefined;
  /** When credentials were shown, if that was elsewhere and before. Default: now. */
  readonly authenticatedAt?: Date;
  /** The connection of a single sign-on. */
  readonly connectionId?: string;
}

/** A new session. The token is in the cookie and is stored nowhere. */
export interface OpenedSession {
  readonly session: MemberSession;
  /** The value of a `Set-Cookie` header. */
  readonly cookie: string;
  /** To be sent as `x-csrf-token` with unsafe requests. */
  readonly csrfToken: string;
}

/** The author of an audit entry. */
export const memberActor = (
  { memberId }: Pick<MemberSession, 'memberId'>,
  { address, requestId }: { address: string; requestId?: string | undefined },
): AuditActor => ({
  actor: `${MEMBER_ACTOR}${memberId}`,
  address,
  ...(requestId === undefined ? {} : { requestId }),
});

/**
 * Opens a session with a new random token for a member who has shown credentials. Nothing of an earlier session of the
 * browser is kept, so a session cannot be fixed before sign-in.
 */
export const openSession = (app: App, memberId: string, origin: SessionOrigin): Promise<OpenedSession> =>
  asSystem(app.db, (tx) => openSessionIn(app, tx, { memberId, origin }));

/**
 * The same, in the transaction that consumes a credential. 401 for a member who was deactivated; 403 for a method that
 * the organization of the member does not permit. Both undo the transaction.
 */
export async function openSessionIn(
  app: App,
  tx: Tx,
  { memberId, origin }: { memberId: string; origin: SessionOrigin },
): Promise<OpenedSession> {
  const member = await lockActiveMember(tx, memberId);
  if (!member)
    throw new DomainError('unauthorized', 'You have no access: ask an administrator of your organization');
  await requirePermittedMethod(tx, member, origin);
  const { org_id: orgId, name, email } = member;
  const token = newSecretToken();
  const limits = sessionLimits(app);
  const { now } = limits;
  const authenticatedAt = earliest(origin.authenticatedAt ?? now, now);
  const id = newId();
  await store.deleteExpiredSessions(tx, memberId, limits);
  await store.insertSession(tx, {
    id,
    org_id: orgId,
    member_id: memberId,
    digest: digestToken(token),
    method: origin.method,
    address: origin.address,
    user_agent: origin.userAgent?.slice(0, USER_AGENT_MAX).replaceAll('\0', '') ?? null,
    created_at: now,
    authenticated_at: authenticatedAt,
    last_seen_at: now,
    expires_at: later(now, app.config.SESSION_HOURS * HOUR),
  });
  await writeAuditEntry(tx, {
    ...memberActor({ memberId }, origin),
    orgId,
    action: 'session.create',
    subject: memberId,
    after: {
      session_id: id,
      method: origin.method,
      ...(origin.secondFactor && { second_factor: origin.secondFactor }),
      ...(origin.connectionId !== undefined && { connection_id: origin.connectionId }),
    },
    at: now,
  });
  const session = { sessionId: id, memberId, orgId, name, email, method: origin.method, authenticatedAt };
  return { session, cookie: secretCookie(app, 'session', token), csrfToken: csrfTokenOf(app, token) };
}

/**
 * The session of a request, from its cookie; undefined without an active one. It is read from the database each time,
 * so a session that was ended on any node is over at once. Throws a 403 for an unsafe method without the CSRF token.
 */
export async function findSession(
  app: App,
  request: { headers: RequestHeaders; method: string; isPassive?: true | undefined },
): Promise<MemberSession | undefined> {
  const token = readCookieToken(app, 'session', request.headers);
  if (token === undefined) return undefined;
  const row = request.isPassive
    ? await findUntouched(app, token)
    : await asSystem(app.db, async (tx) => {
        const limits = sessionLimits(app);
        const [found] = await store.listSessionsByDigest(tx, [digestToken(token)], limits);
        if (found && isStale(app, found, limits.now)) await store.touchSession(tx, found.id, limits.now);
        return found;
      });
  if (!row) return undefined;
  requireCsrfToken(app, request, token);
  return {
    sessionId: row.id,
    memberId: row.member_id,
    orgId: row.org_id,
    name: row.name,
    email: row.email,
    method: row.method,
    authenticatedAt: row.authenticated_at,
  };
}

const untouchedSessions = new WeakMap<App, DataLoader<string, store.MemberSessionRow | undefined>>();

/** Finds a session without a use of it. Event streams are all checked at once, with one query. */
function findUntouched(app: App, token: string): Promise<store.MemberSessionRow | undefined> {
  const digest = digestToken(token).toString('hex');
  const known = untouchedSessions.get(app);
  if (known) return known.load(digest);
  const loader = new DataLoader<string, store.MemberSessionRow | undefined>(
    async (digests) => {
      const asked = digests.map((one) => Buffer.from(one, 'hex'));
      const rows = await asSystem(app.db, (tx) => store.listSessionsByDigest(tx, asked, sessionLimits(app)));
      const found = new Map(rows.map((row) => [row.digest.toString('hex'), row]));
      return digests.map((one) => found.get(one));
    },
    { cache: false },
  );
  untouchedSessions.set(app, loader);
  return loader.load(digest);
}

/** Ends a session of a member. 404 where the member has no such session. */
export function endSession(
  app: App,
  { orgId, memberId, sessionId, by }: SessionReference & { readonly by: AuditActor },
): Promise<void> {
  return asSystem(app.db, async (tx) => {
    const isEnded = await store.deleteSession(tx, { memberId, id: sessionId });
    requireFound(isEnded || undefined, 'Session');
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'session.revoke',
      subject: memberId,
      before: { session_id: sessionId },
      at: app.clock.now(),
    });
  });
}

/** The session of a request, or a 401. */
export async function requireSession(
  app: App,
  request: { headers: RequestHeaders; method: string },
): Promise<MemberSession> {
  const session = await findSession(app, request);
  if (!session) throw notSignedIn();
  return session;
}

/** The CSRF token of the session of a request, or a 401. */
export function requireCurrentCsrfToken(app: App, { headers }: { headers: RequestHeaders }): string {
  const token = readCookieToken(app, 'session', headers);
  if (token === undefined) throw notSignedIn();
  return csrfTokenOf(app, token);
}

const notSignedIn = () => new DomainError('unauthorized', 'No active session: sign in');

/** Throws a 403 unless the member showed credentials within the last 5 minutes. For what is dangerous. */
export function requireRecentAuthentication(
  app: App,
  { authenticatedAt }: Pick<MemberSession, 'authenticatedAt'>,
): void {
  if (later(authenticatedAt, RECENT_MS) > app.clock.now()) return;
  throw new DomainError('forbidden', {
    code: 'reauthentication_required',
    message: 'Show your credentials again: the last time was more than 5 minutes ago',
  });
}

export function sessionLimits({ clock, config }: App): store.SessionLimits {
  const now = clock.now();
  return { now, idleSince: later(now, -config.SESSION_IDLE_MINUTES * MINUTE) };
}

const isStale = ({ config }: App, { last_seen_at: seen }: store.SessionRow, now: Date): boolean =>
  now.getTime() - seen.getTime() >= (config.SESSION_IDLE_MINUTES * MINUTE) / TOUCHES_PER_TIMEOUT;
