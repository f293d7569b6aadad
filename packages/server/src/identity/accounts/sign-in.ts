import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { findFactors, hasFactor } from '../factors/factors.ts';
import { findMemberByEmail, listMembersByEmail, type OrgMemberRow } from '../organizations/organizations.ts';
import { forgetRecordedAttempts, recordAttempt } from './attempt-limit.ts';
import { hashNewPassword, replacePassword } from './new-password.ts';
import { verifyPassword } from './password-hash.ts';
import { findPassword } from './password-store.ts';
import { recordFailure } from './record-failure.ts';
import {
  continueSignIn,
  withSecondFactor,
  type SecondFactorProof,
  type SignInOutcome,
} from './second-factor.ts';
import { deleteSession } from './session-store.ts';
import {
  memberActor,
  openSessionIn,
  type MemberSession,
  type OpenedSession,
  type SessionOrigin,
} from './sessions.ts';

interface PasswordSignIn {
  /** In lower case. */
  readonly email: string;
  readonly password: string;
  /** Required of a person who is a member of several organizations. */
  readonly orgId: string | undefined;
  readonly origin: SessionOrigin;
}

const wrongCredentials = () =>
  new DomainError(
    'unauthorized',
    'The e-mail address or the password is wrong. If you are a member of several organizations, also send org_id.',
  );

/**
 * Signs in with a password. An unknown address, a member without a password, several members without `org_id` and a
 * wrong password get the same answer, each after exactly one hash. A member with a second factor, or who must enroll one,
 * gets a pre-session. 429 after too many attempts.
 */
export async function signInWithPassword(app: App, asked: PasswordSignIn): Promise<SignInOutcome> {
  const attempt = { kind: 'password' as const, account: asked.email, address: asked.origin.address };
  await recordAttempt(app, attempt);
  const { member, hash } = await asSystem(app.db, async (tx) => {
    const found = asked.orgId
      ? active(await findMemberByEmail(tx, asked.orgId, asked.email))
      : onlyOne(await listMembersByEmail(tx, asked.email, 2));
    // Asked for in any case: without a member it finds nothing, and takes as long.
    return { member: found, hash: await findPassword(tx, found?.id ?? NO_MEMBER) };
  });
  const isRight = await verifyPassword(asked.password, hash);
  if (!member || !isRight) {
    recordFailure(app, member, asked.origin);
    throw wrongCredentials();
  }
  await forgetRecordedAttempts(app, attempt);
  const { id: memberId, org_id: orgId } = member;
  const origin = { ...asked.origin, method: 'password' as const };
  return asSystem(app.db, (tx) => continueSignIn(app, tx, { memberId, orgId, origin }));
}

const NO_MEMBER = '00000000-0000-0000-0000-000000000000';

const active = (member: OrgMemberRow | undefined): OrgMemberRow | undefined =>
  member?.deactivated_at ? undefined : member;

const onlyOne = (members: readonly OrgMemberRow[]): OrgMemberRow | undefined =>
  members.length === 1 ? members[0] : undefined;

interface Reauthentication {
  readonly password: string;
  /** Required of a member who has a second factor. */
  readonly proof: SecondFactorProof | undefined;
  readonly origin: SessionOrigin;
}

/**
 * Verifies the password and the second factor of a signed-in member and replaces the session by a new one, for what
 * needs a recent authentication. 403 for a wrong password, and without the second factor of a member who has one; 401
 * for a wrong code.
 */
export async function reauthenticate(
  app: App,
  session: MemberSession,
  { password, proof, origin }: Reauthentication,
): Promise<OpenedSession> {
  const attempt = { kind: 'password' as const, account: session.memberId, address: origin.address };
  await recordAttempt(app, attempt);
  const { memberId, orgId } = session;
  const known = await asSystem(app.db, (tx) => findPassword(tx, memberId));
  if (!(await verifyPassword(password, known))) {
    recordFailure(app, { id: memberId, org_id: orgId }, origin);
    throw new DomainError('forbidden', 'The password is wrong');
  }
  await forgetRecordedAttempts(app, attempt);
  const factors = await asSystem(app.db, (tx) => findFactors(tx, memberId));
  if (!hasFactor(factors)) return asSystem(app.db, (tx) => replaceSession(app, tx, { session, origin }));
  if (!proof) throw secondFactorMissing();
  const from = { ...origin, secondFactor: proof.method };
  return withSecondFactor(app, { owner: session, proof, origin }, (tx) =>
    replaceSession(app, tx, { session, origin: from }),
  );
}

const secondFactorMissing = () =>
  new DomainError('forbidden', {
    code: 'second_factor_required',
    message: 'You have a second factor: also send totp_code or recovery_code, or use a passkey instead',
  });

/** Ends the session of a member and opens a new one, after credentials were shown. */
export async function replaceSession(
  app: App,
  tx: Tx,
  { session, origin }: { session: Pick<MemberSession, 'memberId' | 'sessionId'>; origin: SessionOrigin },
): Promise<OpenedSession> {
  const { memberId, sessionId } = session;
  await deleteSession(tx, { memberId, id: sessionId });
  return openSessionIn(app, tx, { memberId, origin });
}

/** Sets the password of a signed-in member, ends all sessions, and opens a new one. 422 for a weak password. */
export async function changePassword(
  app: App,
  session: MemberSession,
  { password, origin }: { password: string; origin: SessionOrigin },
): Promise<OpenedSession> {
  const hash = await hashNewPassword(password, session);
  const { memberId, orgId } = session;
  return asSystem(app.db, async (tx) => {
    await replacePassword(app, tx, { memberId, orgId, hash, by: memberActor(session, origin) });
    const { method, authenticatedAt } = session;
    // An owner who must use single sign-on keeps a password for the day when it fails.
    const kept = method === 'sso' ? { ...origin, method, authenticatedAt } : origin;
    return openSessionIn(app, tx, { memberId, origin: kept });
  });
}
