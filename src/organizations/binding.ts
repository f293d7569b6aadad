import { countTeams } from '../management/management.ts';
import type { Tx } from '../platform/db/database.ts';
import { DomainError } from '../platform/errors.ts';
import type { MemberRole } from './table.ts';

interface Wanted {
  readonly orgId: string;
  readonly role: MemberRole;
  readonly teamIds: readonly string[];
}

/**
 * The teams of a person, each once: at least one of the organization for a team_admin, none for everybody else (400).
 * 404 for a team that is not the organization's.
 */
export async function bindable(tx: Tx, { orgId, role, teamIds }: Wanted): Promise<string[]> {
  const ids = [...new Set(teamIds.map((id) => id.toLowerCase()))].toSorted();
  if (role !== 'team_admin' && ids.length > 0) {
    throw new DomainError('bad_request', `Somebody with the role ${role} is not bound to teams`);
  }
  if (role === 'team_admin' && ids.length === 0) {
    throw new DomainError(
      'bad_request',
      'Somebody with the role team_admin needs team_role_bindings with at least one team',
    );
  }
  const known = ids.length === 0 ? 0 : await countTeams(tx, orgId, ids);
  if (known < ids.length) throw new DomainError('not_found', 'Team not found');
  return ids;
}
