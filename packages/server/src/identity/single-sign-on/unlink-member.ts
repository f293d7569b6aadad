import type { App } from '../../app.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { requireFound } from '../../platform/errors.ts';
import { endSingleSignOnSessions } from '../accounts/accounts.ts';
import { lockOrganization, writeAuditEntry, type AuditActor } from '../management/management.ts';
import { requireMemberOf } from '../organizations/organizations.ts';
import { deleteIdentitiesOfMember } from '../sso-connections/sso-connections.ts';

/** Unlinks a member from all accounts of identity providers, and ends the sessions that began with them. */
export function unlinkMember(
  app: App,
  { orgId, memberId, by }: { orgId: string; memberId: string; by: AuditActor },
): Promise<void> {
  return asSystem(app.db, async (tx) => {
    requireFound(await lockOrganization(tx, orgId), 'Organization');
    const { id } = await requireMemberOf(tx, orgId, memberId);
    requireFound((await deleteIdentitiesOfMember(tx, id)) || undefined, 'Account of an identity provider');
    await endSingleSignOnSessions(tx, [id]);
    const entry = { action: 'sso_identity.delete', subject: id, at: app.clock.now() };
    await writeAuditEntry(tx, { ...by, orgId, ...entry });
  });
}
