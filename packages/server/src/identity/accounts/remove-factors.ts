import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { removeAllFactors, type FactorOwner } from '../factors/factors.ts';
import { lockOrganization, type AuditActor } from '../management/management.ts';
import {
  requireMemberOf,
  requireOwnerRights,
  sendMailNow,
  type OrgMemberRow,
} from '../organizations/organizations.ts';
import { deletePreSessions } from './pre-session-store.ts';
import { deleteSessions } from './session-store.ts';

interface FactorRemoval extends FactorOwner {
  /** Whether the author may change owners. */
  readonly mayChangeOwners: boolean;
  readonly by: AuditActor;
}

/** Removes all factors of a member who lost them, ends the sessions of the member, and tells the member by e-mail. */
export async function removeFactorsOf(app: App, removal: FactorRemoval): Promise<void> {
  const { orgId, memberId, by } = removal;
  const member = await asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const found = await requireMemberOf(tx, orgId, memberId);
    if (found.is_owner) requireOwnerRights(removal.mayChangeOwners);
    await removeAllFactors(app, tx, { orgId, memberId: found.id, by });
    await deleteSessions(tx, found.id);
    await deletePreSessions(tx, found.id);
    return found;
  });
  // The removal is done: that the mail server is away does not undo it.
  await sendMailNow(app, removalMail(member)).catch((error: unknown) =>
    app.log.error({ err: error }, 'the mail about a removed second factor was not sent'),
  );
}

const removalMail = ({ email }: OrgMemberRow) => ({
  id: `factor-removed-${newId()}`,
  to: email,
  subject: 'Your second factor was removed',
  text: [
    'An administrator of your organization removed the second factor of your account, and ended your sessions.',
    'If you did not ask for this, tell your organization at once. You can enroll a new one after you sign in.',
  ].join('\n\n'),
});
