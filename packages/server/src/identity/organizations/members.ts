import type { App } from '../../app.ts';
import { writeAuditEntry, lockOrganization, type AuditActor } from '../management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { asSystem } from '../../platform/db/transact.ts';
import { DomainError, requireFound } from '../../platform/errors.ts';
import { resolveTeamBindings } from './team-bindings.ts';
import * as store from './member-store.ts';
import type { MemberRole } from './table.ts';

/** The member to change, and the author of the change. */
interface OrgMemberCommand {
  readonly orgId: string;
  readonly id: string;
  readonly by: AuditActor;
}

interface OrgMemberChange extends OrgMemberCommand {
  /** Undefined keeps it. */
  readonly role: MemberRole | undefined;
  /** Undefined keeps them, unless the new role has none. */
  readonly teamIds: readonly string[] | undefined;
}

/** Changes the role or the teams of a member, or both. 409 for taking the role from the last org_admin. */
export function changeMember(app: App, change: OrgMemberChange): Promise<store.OrgMemberRow> {
  const { orgId, id, by } = change;
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = requireFound(await store.findMember(tx, orgId, id), 'Member');
    const role = change.role ?? before.role;
    if (role !== 'org_admin') await requireAnotherAdmin(tx, before);
    const kept = role === 'team_admin' ? before.team_ids : [];
    const teamIds = await resolveTeamBindings(tx, { orgId, role, teamIds: change.teamIds ?? kept });
    const after = { ...before, role, team_ids: teamIds };
    await store.changeMember(tx, before.id, { role, team_ids: teamIds });
    await writeAuditEntry(tx, {
      ...by,
      orgId,
      action: 'member.update',
      subject: before.id,
      before: toAuditView(before),
      after: toAuditView(after),
      at: app.clock.now(),
    });
    return after;
  });
}

/** Removes a member from the organization. 409 for the last org_admin. */
export function removeMember(app: App, { orgId, id, by }: OrgMemberCommand): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const member = requireFound(await store.findMember(tx, orgId, id), 'Member');
    await requireAnotherAdmin(tx, member);
    await store.deleteMember(tx, member.id);
    const deed = {
      action: 'member.delete',
      subject: member.id,
      before: toAuditView(member),
      at: app.clock.now(),
    };
    await writeAuditEntry(tx, { ...by, orgId, ...deed });
  });
}

async function requireAnotherAdmin(tx: Tx, { org_id: orgId, id, role }: store.OrgMemberRow): Promise<void> {
  if (role !== 'org_admin' || (await store.hasOtherAdmin(tx, orgId, id))) return;
  throw new DomainError(
    'conflict',
    'This is the last org_admin of the organization: make another member org_admin first',
  );
}

/** The audit log is never deleted, so it contains only the ids of people. */
export const toAuditView = ({ role, team_ids }: { role: MemberRole; team_ids: readonly string[] }) => ({
  role,
  team_ids: [...team_ids],
});
