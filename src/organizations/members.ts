import type { App } from '../app.ts';
import { audit, lockOrganization, type Author } from '../management/management.ts';
import type { Tx } from '../platform/db/database.ts';
import { asSystem } from '../platform/db/transact.ts';
import { DomainError, found } from '../platform/errors.ts';
import { bindable } from './binding.ts';
import * as store from './member-store.ts';
import type { MemberRole } from './table.ts';

/** Whom somebody changes, and who. */
export interface OneMember {
  readonly orgId: string;
  readonly id: string;
  readonly by: Author;
}

export interface MemberChange extends OneMember {
  /** Undefined leaves it. */
  readonly role: MemberRole | undefined;
  /** Undefined leaves them, unless the new role has none. */
  readonly teamIds: readonly string[] | undefined;
}

/** Gives a member another role, other teams, or both. 409 for the last org_admin, who would be none afterwards. */
export function changeMember(app: App, change: MemberChange): Promise<store.MemberRow> {
  const { orgId, id, by } = change;
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const before = found(await store.findMember(tx, orgId, id), 'Member');
    const role = change.role ?? before.role;
    if (role !== 'org_admin') await requireAnotherAdmin(tx, before);
    const kept = role === 'team_admin' ? before.team_ids : [];
    const teamIds = await bindable(tx, { orgId, role, teamIds: change.teamIds ?? kept });
    const after = { ...before, role, team_ids: teamIds };
    await store.changeMember(tx, before.id, { role, team_ids: teamIds });
    await audit(tx, {
      ...by,
      orgId,
      action: 'member.update',
      subject: before.id,
      before: told(before),
      after: told(after),
      at: app.clock.now(),
    });
    return after;
  });
}

/** Takes somebody out of the organization. The last org_admin stays: 409. */
export function removeMember(app: App, { orgId, id, by }: OneMember): Promise<void> {
  return asSystem(app.db, async (tx) => {
    await lockOrganization(tx, orgId);
    const member = found(await store.findMember(tx, orgId, id), 'Member');
    await requireAnotherAdmin(tx, member);
    await store.deleteMember(tx, member.id);
    const deed = { action: 'member.delete', subject: member.id, before: told(member), at: app.clock.now() };
    await audit(tx, { ...by, orgId, ...deed });
  });
}

async function requireAnotherAdmin(tx: Tx, { org_id: orgId, id, role }: store.MemberRow): Promise<void> {
  if (role !== 'org_admin' || (await store.hasOtherAdmin(tx, orgId, id))) return;
  throw new DomainError(
    'conflict',
    'The last org_admin stays: nobody else could take care of the organization',
  );
}

/** The audit log is kept for ever, so it knows people by their ids alone. */
export const told = ({ role, team_ids }: { role: MemberRole; team_ids: readonly string[] }) => ({
  role,
  team_ids: [...team_ids],
});
