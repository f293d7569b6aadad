import type { App } from '../../app.ts';
import { writeAuditEntries, type AuditActor } from '../management/management.ts';
import { toAuditView } from '../organizations/organizations.ts';
import type { Tx } from '../../platform/db/database.ts';
import type { DirectoryRole } from '../roles/roles.ts';
import { listGrants, saveDirectoryRoles } from './grants-store.ts';

/** Members whose groups, or the grants of them, have changed. */
interface GrantRefresh {
  readonly orgId: string;
  readonly memberIds: readonly string[];
  readonly by: AuditActor;
}

/**
 * Gives members the roles that their groups grant now: the union over all groups. Roles that were given by hand stay
 * what they are. Each change is an audit entry.
 */
export async function refreshDirectoryRoles(
  app: App,
  tx: Tx,
  { orgId, memberIds, by }: GrantRefresh,
): Promise<void> {
  if (memberIds.length === 0) return;
  const members = await listGrants(tx, orgId, memberIds);
  const changes = members.flatMap((member) => {
    const roles = distinctRoles(member.granted.flat());
    return keyOf(roles) === keyOf(distinctRoles(member.directory_roles)) ? [] : [{ member, roles }];
  });
  if (changes.length === 0) return;
  await saveDirectoryRoles(
    tx,
    orgId,
    changes.map(({ member, roles }) => ({ id: member.id, roles })),
  );
  const at = app.clock.now();
  await writeAuditEntries(
    tx,
    changes.map(({ member, roles }) => ({
      ...by,
      orgId,
      action: 'member.update',
      subject: member.id,
      before: toAuditView(member),
      after: toAuditView({ ...member, directory_roles: roles }),
      at,
    })),
  );
}

const keyOf = (roles: readonly DirectoryRole[]): string => roles.map(nameOf).join();

const nameOf = ({ role, team_id: teamId, environment }: DirectoryRole) => `${role} ${teamId} ${environment}`;

/** In one order, so that equal sets are stored equally. */
export function distinctRoles(roles: readonly DirectoryRole[]): DirectoryRole[] {
  const byName = new Map(
    roles.map(({ role, team_id, environment }) => {
      const binding = { role, team_id, environment };
      return [nameOf(binding), binding];
    }),
  );
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, binding]) => binding);
}
