import type { Environment } from '../../platform/tenant.ts';
import type { AssignableRole, Role } from './role.ts';

/** A role as it is stored with a member, an invite or a mapping of groups, and as the API shows it. */
export interface StoredRole {
  readonly role: AssignableRole;
  /** Null: the whole organization. */
  readonly team_id: string | null;
  /** Null: both environments. */
  readonly environment: Environment | null;
}

/** A role that the groups of a directory grant. An owner has it in the whole organization and both environments. */
export interface DirectoryRole extends Omit<StoredRole, 'role'> {
  readonly role: Role;
}
