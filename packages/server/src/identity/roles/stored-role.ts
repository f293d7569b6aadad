import type { Environment } from '../../platform/tenant.ts';
import type { AssignableRole } from './role.ts';

/** A role as it is stored with a member, an invite or a mapping of groups, and as the API shows it. */
export interface StoredRole {
  readonly role: AssignableRole;
  /** Null: the whole organization. */
  readonly team_id: string | null;
  /** Null: both environments. */
  readonly environment: Environment | null;
}
