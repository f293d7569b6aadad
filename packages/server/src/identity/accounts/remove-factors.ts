import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { removeAllFactors, type FactorOwner } from '../factors/factors.ts';
import { lockOrganization, type AuditActor } from '../management/management.ts';
import {
  listMembersByEmail,
  requireMemberOf,
  requireOwnerRights,
  sendMailNow,
  type OrgMemberRow,
} from '../organizations/organizations.ts';
import { deletePreSessions } from './pre-session-store.ts';
import { deleteSessions } from './session-store.ts';

/** Far more organizations than one address is a member of. */
const ADDRESS_USES_MAX = 100;

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

/**
 * The same for an operator, who helps a sole owner: nobody else in the organization may do it. 404 without such a member
 * or without a factor, 409 for an address in several organizations.
 */
export async function removeFactorsByEmail(
  app: App,
  { email, orgId, by }: { email: string; orgId: string | undefined; by: AuditActor },
): Promise<void> {
  const member = await asSystem(app.db, async (tx) => {
    const found = (await listMembersByEmail(tx, email, ADDRESS_USES_MAX)).filter(
      (one) => orgId === undefined || one.org_id === orgId,
    );
    if (found.length > 1)
      throw new DomainError('conflict', 'Members of several organizations have this address: choose one');
    return requireFound(found[0], 'Member');
  });
  const owner = { orgId: member.org_id, memberId: member.id };
  await removeFactorsOf(app, { ...owner, mayChangeOwners: true, by });
}

const removalMail = ({ email }: OrgMemberRow) => ({
  id: `factor-removed-${newId()}`,
  to: email,
  subject: 'Your second factor was removed',
  text: [
    'An administrator of your organization, or the operator of the service, removed the second factor of your account, and ended your sessions.',
    'If you did not ask for this, tell your organization at once. You can enroll a new one after you sign in.',
  ].join('\n\n'),
});
