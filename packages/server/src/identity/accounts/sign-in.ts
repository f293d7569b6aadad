import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError } from '../../platform/errors.ts';
import { writeAuditEntry } from '../management/management.ts';
import { findMemberByEmail, listMembersByEmail, type OrgMemberRow } from '../organizations/organizations.ts';
import { forgetRecordedAttempts, recordAttempt } from './attempt-limit.ts';
import { hashNewPassword, replacePassword } from './new-password.ts';
import { verifyPassword } from './password-hash.ts';
import { findPassword } from './password-store.ts';
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
 * wrong password get the same answer, each after exactly one hash. 429 after too many attempts.
 */
export async function signInWithPassword(app: App, asked: PasswordSignIn): Promise<OpenedSession> {
  const attempt = { kind: 'password' as const, account: asked.email, address: asked.origin.address };
  await recordAttempt(app, attempt);
  const { member, hash } = await asSystem(app.db, async (tx) => {
    const found = asked.orgId
      ? await findMemberByEmail(tx, asked.orgId, asked.email)
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
  return asSystem(app.db, (tx) => openSessionIn(app, tx, { memberId: member.id, origin: asked.origin }));
}

type FailedMember = Pick<OrgMemberRow, 'id' | 'org_id'>;

const NO_MEMBER = '00000000-0000-0000-0000-000000000000';

const onlyOne = (members: readonly OrgMemberRow[]): OrgMemberRow | undefined =>
  members.length === 1 ? members[0] : undefined;

/**
 * The response does not wait for the entry, so that it takes as long as for an unknown address, which has no audit log
 * to be written to. Only a crash in these milliseconds loses it.
 */
function recordFailure(app: App, member: FailedMember | undefined, origin: SessionOrigin): void {
  app.log.info({ address: origin.address, member: member?.id }, 'sign-in failed');
  if (!member) return;
  const { id: memberId, org_id: orgId } = member;
  const by = memberActor({ memberId }, origin);
  const entry = { action: 'session.fail', subject: memberId, after: { method: origin.method } };
  asSystem(app.db, (tx) =>
    writeAuditEntry(tx, { ...by, actor: 'service', orgId, ...entry, at: app.clock.now() }),
  ).catch((error: unknown) =>
    app.log.error({ err: error }, 'the audit entry of a failed sign-in was not written'),
  );
}

/**
 * Verifies the password of a signed-in member and replaces the session by a new one, for what needs a recent
 * authentication. 403 for a wrong password.
 */
export async function reauthenticate(
  app: App,
  session: MemberSession,
  { password, origin }: { password: string; origin: SessionOrigin },
): Promise<OpenedSession> {
  const attempt = { kind: 'password' as const, account: session.memberId, address: origin.address };
  await recordAttempt(app, attempt);
  const { memberId, sessionId } = session;
  const known = await asSystem(app.db, (tx) => findPassword(tx, memberId));
  if (!(await verifyPassword(password, known))) {
    recordFailure(app, { id: memberId, org_id: session.orgId }, origin);
    throw new DomainError('forbidden', 'The password is wrong');
  }
  await forgetRecordedAttempts(app, attempt);
  return asSystem(app.db, async (tx) => {
    await deleteSession(tx, { memberId, id: sessionId });
    return openSessionIn(app, tx, { memberId, origin });
  });
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
    return openSessionIn(app, tx, { memberId, origin });
  });
}
