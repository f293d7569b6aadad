import type { App } from '../../app.ts';
import { HOUR, later } from '../../platform/clock.ts';
import { digestToken, newSecretToken } from '../../platform/crypto/secret-token.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, invalidField, requireFound } from '../../platform/errors.ts';
import { lockOrganization, writeAuditEntry } from '../management/management.ts';
import {
  changeMember,
  findMemberByEmail,
  hasMailServer,
  requireMemberOf,
  type OrgMemberRow,
} from '../organizations/organizations.ts';
import { requiresSingleSignOn } from '../sso-connections/sso-connections.ts';
import { recordAttempt } from './attempt-limit.ts';
import { mailChangedEmail, mailEmailChange } from './email-change-mail.ts';
import * as store from './email-change-store.ts';
import { deleteLinks } from './link-store.ts';
import { deletePreSessions } from './pre-session-store.ts';
import { deleteSessions } from './session-store.ts';
import {
  memberActor,
  openSessionIn,
  type MemberSession,
  type OpenedSession,
  type SessionOrigin,
} from './sessions.ts';

const LIFE_MS = HOUR;

interface EmailChangeRequest {
  /** In lower case. */
  readonly email: string;
  readonly from: { readonly address: string; readonly requestId: string };
}

/** An address that waits for its confirmation. */
interface PendingEmailChange {
  readonly email: string;
  readonly expiresAt: Date;
}

/**
 * E-mails a link to the new address and tells the old one. Nothing changes before the link is confirmed. A new request
 * replaces the one before, and its link. 400 where no mail server is configured or it refuses the address; 403 for
 * members whose addresses the organization manages; 409 for an address that cannot be used; 503 where the mail server
 * does not accept the mail now.
 */
export async function requestEmailChange(
  app: App,
  session: MemberSession,
  { email, from }: EmailChangeRequest,
): Promise<PendingEmailChange> {
  if (!hasMailServer(app))
    throw new DomainError('bad_request', 'This service sends no e-mail, so no address can be confirmed');
  const { memberId, orgId } = session;
  await recordAttempt(app, { kind: 'email-change', account: memberId, address: from.address });
  const token = newSecretToken();
  const at = app.clock.now();
  const expiresAt = later(at, LIFE_MS);
  const known = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const member = await requireMemberOf(tx, orgId, memberId);
    if (member.email === email) throw invalidField(['body', 'email'], 'expected another address than yours');
    await requireChangeable(tx, member, email);
    await store.deleteExpiredEmailChanges(tx, orgId, at);
    const change = { member_id: memberId, org_id: orgId, email, digest: digestToken(token) };
    await store.saveEmailChange(tx, { ...change, created_at: at, expires_at: expiresAt });
    // Without the addresses: they belong to a person, and the log is kept.
    const entry = { orgId, action: 'email_change.create', subject: memberId, at };
    await writeAuditEntry(tx, { ...memberActor(session, from), ...entry });
    return member.email;
  });
  await mailEmailChange(app, { known, wanted: email, token });
  return { email, expiresAt };
}

/** Members may not leave what decides how they sign in, and no two of an organization have one address. */
async function requireChangeable(tx: Tx, member: OrgMemberRow, email: string): Promise<void> {
  const { id, org_id: orgId } = member;
  const isManaged =
    (await store.isInDirectory(tx, id)) ||
    (await requiresSingleSignOn(tx, member)) ||
    (await requiresSingleSignOn(tx, { org_id: orgId, email }));
  if (isManaged)
    throw new DomainError(
      'forbidden',
      'The identity provider of your organization manages this address: it is changed there',
    );
  if (await findMemberByEmail(tx, orgId, email))
    throw new DomainError('conflict', 'This address cannot be used: choose another one');
}

/** The change that a member has asked for and not confirmed. */
export async function findPendingEmailChange(
  app: App,
  { memberId }: MemberSession,
): Promise<PendingEmailChange | undefined> {
  const row = await asSystem(app.db, (tx) => store.findEmailChange(tx, memberId, app.clock.now()));
  return row && { email: row.email, expiresAt: row.expires_at };
}

/** Forgets the change, and its link is not valid any more. 404 where there is none. */
export function cancelEmailChange(
  app: App,
  session: MemberSession,
  from: EmailChangeRequest['from'],
): Promise<void> {
  const { memberId, orgId } = session;
  return asSystem(app.db, async (tx) => {
    requireFound((await store.deleteEmailChange(tx, memberId)) || undefined, 'Change of the address');
    const entry = { orgId, action: 'email_change.delete', subject: memberId, at: app.clock.now() };
    await writeAuditEntry(tx, { ...memberActor(session, from), ...entry });
  });
}

/**
 * Changes the address to the one where the link was sent, once; ends all sessions of the member and opens a new one. The
 * caller is signed in as the member: a link that went to a mistyped address gives its reader nothing. 404 for any other
 * link, 409 where the address was taken meanwhile.
 */
export async function confirmEmailChange(
  app: App,
  session: MemberSession,
  { token, origin }: { readonly token: string; readonly origin: SessionOrigin },
): Promise<OpenedSession> {
  await recordAttempt(app, { kind: 'link', address: origin.address });
  const { memberId, orgId } = session;
  const at = app.clock.now();
  const done = await asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const link = { memberId, digest: digestToken(token), now: at };
    const email = await store.consumeEmailChange(tx, link);
    if (email === undefined) throw invalidLink();
    const before = await requireMemberOf(tx, orgId, memberId);
    await requireChangeable(tx, before, email);
    await changeMember(tx, memberId, { email });
    await deleteSessions(tx, memberId);
    await deletePreSessions(tx, memberId);
    // They were sent to the old address.
    await deleteLinks(tx, memberId);
    const entry = { orgId, action: 'email.change', subject: memberId, at };
    await writeAuditEntry(tx, { ...memberActor(session, origin), ...entry });
    const { method, authenticatedAt } = session;
    const kept = { ...origin, method, authenticatedAt };
    return { before: before.email, opened: await openSessionIn(app, tx, { memberId, origin: kept }) };
  });
  await mailChangedEmail(app, done.before);
  return done.opened;
}

const invalidLink = () =>
  new DomainError(
    'not_found',
    'This link is not valid: it was used, replaced, or is too old, or another member asked for it.',
  );
