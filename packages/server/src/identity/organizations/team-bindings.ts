import { countTeams } from '../management/management.ts';
import type { Tx } from '../../platform/db/database.ts';
import { DomainError } from '../../platform/errors.ts';
import type { StoredRole } from '../roles/roles.ts';
import type { MemberRole } from './table.ts';

interface TeamBindingRequest {
  readonly orgId: string;
  readonly role: MemberRole;
  readonly teamIds: readonly string[];
}

/**
 * Validates and deduplicates the teams of a member: at least one for a team_admin, none for other roles (400). 404 for
 * a team of another organization.
 */
export async function resolveTeamBindings(
  tx: Tx,
  { orgId, role, teamIds }: TeamBindingRequest,
): Promise<string[]> {
  const ids = [...new Set(teamIds.map((id) => id.toLowerCase()))].toSorted();
  if (role !== 'team_admin' && ids.length > 0) {
    throw new DomainError(
      'bad_request',
      `A member with the role ${role} cannot be bound to teams: omit team_role_bindings`,
    );
  }
  if (role === 'team_admin' && ids.length === 0) {
    throw new DomainError(
      'bad_request',
      'The role team_admin requires team_role_bindings with at least one team',
    );
  }
  await requireTeams(tx, orgId, ids);
  return ids;
}

/** 404 for a team that is deleted or of another organization. The ids are distinct. */
export async function requireTeams(tx: Tx, orgId: string, ids: readonly string[]): Promise<void> {
  const known = ids.length === 0 ? 0 : await countTeams(tx, orgId, ids);
  if (known < ids.length) throw new DomainError('not_found', 'Team not found');
}

/** The distinct roles. 404 for a team of another organization. */
export async function resolveRoles(
  tx: Tx,
  orgId: string,
  roles: readonly StoredRole[],
): Promise<StoredRole[]> {
  await requireTeams(tx, orgId, [...new Set(roles.flatMap(({ team_id: id }) => id ?? []))]);
  const byName = new Map(
    roles.map(({ role, team_id, environment }) => [
      `${role} ${team_id} ${environment}`,
      { role, team_id, environment },
    ]),
  );
  return [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, binding]) => binding);
}
