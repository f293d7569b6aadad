import type { App } from '../../app.ts';
import type { Tx } from '../../platform/db/database.ts';
import { writeAuditEntry, type AuditActor } from '../management/management.ts';
import type { OrgMemberRow } from '../organizations/organizations.ts';
import { deleteEmailChange } from './email-change-store.ts';
import { deleteLinks } from './link-store.ts';
import { hashPassword, requireStrongPassword } from './password-hash.ts';
import { savePassword } from './password-store.ts';
import { deletePreSessions } from './pre-session-store.ts';
import { deleteSessions } from './session-store.ts';

/** The hash of a new password, made outside any transaction. 422 for a weak one. */
export async function hashNewPassword(
  password: string,
  person: { name: string; email: string },
): Promise<string> {
  await requireStrongPassword(password, person);
  return hashPassword(password);
}

interface NewMemberPassword {
  readonly memberId: string;
  readonly orgId: string;
  readonly hash: string;
  readonly by: AuditActor;
}

/** Sets the password of a member, ends all sessions and pre-sessions, and invalidates all links that were not used. */
export async function replacePassword(
  app: App,
  tx: Tx,
  { memberId, orgId, hash, by }: NewMemberPassword,
): Promise<void> {
  const at = app.clock.now();
  await savePassword(tx, { memberId, hash, changedAt: at });
  await deleteSessions(tx, memberId);
  await deletePreSessions(tx, memberId);
  await deleteLinks(tx, memberId);
  await deleteEmailChange(tx, memberId);
  await writeAuditEntry(tx, { ...by, orgId, action: 'password.change', subject: memberId, at });
}

/** The first password of a member who accepts an invite. 422 for a weak one. */
export async function preparePassword(
  app: App,
  asked: { password: string; name: string; email: string },
): Promise<(tx: Tx, member: OrgMemberRow) => Promise<void>> {
  const hash = await hashNewPassword(asked.password, asked);
  return (tx, { id }) => savePassword(tx, { memberId: id, hash, changedAt: app.clock.now() });
}
