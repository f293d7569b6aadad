import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import type { RequestHeaders } from '../../platform/http/serve-open.ts';
import { findFactors, hasFactor, type FactorOwner } from '../factors/factors.ts';
import { consumePreSession, requirePreSession, type PreSession } from './pre-sessions.ts';
import { deleteOtherSessions } from './session-store.ts';
import {
  findSession,
  openSessionIn,
  requireRecentAuthentication,
  type MemberSession,
  type OpenedSession,
  type SessionOrigin,
} from './sessions.ts';
import type { SecondFactorMethod } from './table.ts';

/** A member who may enroll a factor: signed in, or led to it at sign-in. */
export interface Enrollee extends FactorOwner {
  readonly email: string;
  readonly name: string;
  readonly session?: MemberSession;
  readonly pre?: PreSession;
}

/**
 * The member of a request that enrolls a factor: of a session with recent credentials, or of a pre-session. 401 without
 * either. 403 for a pre-session of a member who has a factor: it must be shown, not replaced.
 */
export async function requireEnrollee(
  app: App,
  request: { headers: RequestHeaders; method: string },
): Promise<Enrollee> {
  const session = await findSession(app, request);
  if (session) {
    requireRecentAuthentication(app, session);
    const { memberId, orgId, email, name } = session;
    return { memberId, orgId, email, name, session };
  }
  const pre = await requirePreSession(app, request);
  const factors = await asSystem(app.db, (tx) => findFactors(tx, pre.memberId));
  requireNoFactor(hasFactor(factors));
  const { memberId, orgId, email, name } = pre;
  return { memberId, orgId, email, name, pre };
}

function requireNoFactor(isEnrolled: boolean): void {
  if (isEnrolled) throw new DomainError('forbidden', 'You have a second factor: show it to sign in');
}

interface EnrolledFactor {
  readonly enrollee: Enrollee;
  readonly method: SecondFactorMethod;
  readonly origin: SessionOrigin;
}

/**
 * After the first factor was confirmed, in its transaction: ends the other sessions of the member, and turns a
 * pre-session into a session, which is returned.
 */
export async function finishEnrollment(
  app: App,
  tx: Tx,
  { enrollee: { memberId, session, pre }, method, origin }: EnrolledFactor,
): Promise<OpenedSession | undefined> {
  await deleteOtherSessions(tx, { memberId, keptId: session?.sessionId });
  if (!pre) return undefined;
  await consumePreSession(tx, pre);
  return openSessionIn(app, tx, {
    memberId,
    origin: { ...origin, method: pre.method, secondFactor: method },
  });
}
