import type { LoggableRoute } from '../../platform/http/access-logger.ts';
import type { Environment } from '../../platform/tenant.ts';
import { MANAGEMENT_OPERATIONS } from './management-operations.ts';
import { PERMISSIONS, type Permission } from './permissions.ts';
import type { Role } from './role.ts';
import { TEAM_OPERATIONS } from './team-operations.ts';
import { WEARABLE_OPERATIONS } from './wearable-operations.ts';

/** The permission that each operation of both APIs needs. Throws for an operation that is listed twice. */
const PERMISSION_OF: ReadonlyMap<string, Permission> = buildTable();

function buildTable(): Map<string, Permission> {
  const permissionOf = new Map<string, Permission>();
  for (const operations of [TEAM_OPERATIONS, WEARABLE_OPERATIONS, MANAGEMENT_OPERATIONS]) {
    for (const permission of Object.keys(PERMISSIONS) as Permission[]) {
      for (const operation of (operations[permission] ?? '').trim().split(/\s+/).filter(Boolean)) {
        if (permissionOf.has(operation)) throw new Error(`The table of roles lists ${operation} twice`);
        permissionOf.set(operation, permission);
      }
    }
  }
  return permissionOf;
}

/** Operations with a key or a session. The others carry a credential of their own. */
type RouteToAuthorize = Pick<LoggableRoute, 'method' | 'path' | 'scope' | 'schema'>;

/**
 * Throws unless the table has exactly the operations of the two APIs, so that the service does not start with an
 * operation that nobody decided about.
 */
export function requireCompleteRoleTable(routes: readonly RouteToAuthorize[]): void {
  const existing = new Set(
    routes.filter(({ scope }) => scope !== 'open').map(({ schema }) => schema.operationId),
  );
  const missing = [...existing].filter((operation) => !PERMISSION_OF.has(operation));
  const unknown = [...PERMISSION_OF.keys()].filter((operation) => !existing.has(operation));
  if (missing.length > 0) {
    throw new Error(`The table of roles (identity/roles) has no row for: ${missing.join(', ')}`);
  }
  if (unknown.length > 0) {
    throw new Error(
      `The table of roles (identity/roles) has rows without an operation: ${unknown.join(', ')}`,
    );
  }
}

/** Throws for an operation that is not in the table. */
export function permissionOf(operation: string): Permission {
  const permission = PERMISSION_OF.get(operation);
  if (!permission) throw new Error(`The table of roles (identity/roles) has no row for ${operation}`);
  return permission;
}

export function hasPermission(role: Role, permission: Permission, environment: Environment): boolean {
  if (role === 'owner') return true;
  const { roles, sandboxRoles } = PERMISSIONS[permission];
  return roles.includes(role) || (environment === 'sandbox' && sandboxRoles.includes(role));
}
