import { DomainError } from '../../platform/errors.ts';
import { ENVIRONMENTS, type Environment } from '../../platform/tenant.ts';
import type { MemberAccess } from './member-access.ts';
import { PERMISSIONS, type Permission } from './permissions.ts';
import { ROLES, type Role, type RoleBinding } from './role.ts';
import { hasPermission } from './role-table.ts';

/** What a member wants to do. */
export interface OperationRequest {
  readonly operation: string;
  readonly permission: Permission;
  /**
   * Undefined: the operation concerns both, or neither. Then a read needs the permission in one of them, a change in
   * both.
   */
  readonly environment: Environment | undefined;
}

/** The teams of the caller's scope; null is the whole organization. */
type PermittedTeams = ReadonlySet<string> | null;

/** Where a member has the permission. An empty set is nowhere. */
export function permittedTeams({ roles }: MemberAccess, asked: OperationRequest): PermittedTeams {
  if (isPermitted(roles.filter(isOfOrganization), asked)) return null;
  const teams = new Set(roles.flatMap(({ teamId }) => teamId ?? []));
  return new Set([...teams].filter((teamId) => isPermitted(rolesIn(roles, teamId), asked)));
}

const isOfOrganization = ({ teamId }: RoleBinding): boolean => teamId === null;

const rolesIn = (roles: readonly RoleBinding[], teamId: string): RoleBinding[] =>
  roles.filter((binding) => binding.teamId === null || binding.teamId === teamId);

function isPermitted(
  roles: readonly RoleBinding[],
  asked: Pick<OperationRequest, 'permission' | 'environment'>,
): boolean {
  const permits = (environment: Environment) =>
    roles.some(
      (binding) =>
        (binding.environment === null || binding.environment === environment) &&
        hasPermission(binding.role, asked.permission, environment),
    );
  if (asked.environment !== undefined) return permits(asked.environment);
  return isReading(asked.permission) ? ENVIRONMENTS.some(permits) : ENVIRONMENTS.every(permits);
}

/** All permissions of a member in a team, or in the organization (null), in one environment or in what concerns both. */
export function permissionsIn(
  { roles }: MemberAccess,
  teamId: string | null,
  environment: Environment | undefined,
): Permission[] {
  const held = teamId === null ? roles.filter(isOfOrganization) : rolesIn(roles, teamId);
  return (Object.keys(PERMISSIONS) as Permission[]).filter((permission) =>
    isPermitted(held, { permission, environment }),
  );
}

/** The roles that may, where they are bound to both environments. */
export const rolesThatMay = ({
  permission,
  environment,
}: Pick<OperationRequest, 'permission' | 'environment'>): Role[] =>
  ROLES.filter((role) =>
    isPermitted([{ role, teamId: null, environment: null }], { permission, environment }),
  );

const isReading = (permission: Permission): boolean => permission.endsWith(':read');

/** Whether the member has any role in the team, in any environment. */
export const isMemberOf = ({ roles }: MemberAccess, teamId: string): boolean =>
  rolesIn(roles, teamId).length > 0;

/** A 403 that names the roles which have the permission, and those of the caller. */
export function missingRoleError(
  { roles }: MemberAccess,
  { operation, permission, environment }: OperationRequest,
): DomainError {
  const required = rolesThatMay({ permission, environment });
  const own = [...new Set(roles.map(describeBinding))].join(', ');
  const place = environment === undefined ? '' : ` in ${environment}`;
  return new DomainError('forbidden', {
    code: 'role_required',
    message:
      `${operation}${place} requires one of the roles ${required.join(', ')}. ` +
      `${own === '' ? 'You have no role.' : `Your roles: ${own}.`}`,
    required_roles: required,
  });
}

const describeBinding = ({ role, teamId, environment }: RoleBinding): string =>
  [
    role,
    ...(teamId === null ? [] : [`in team ${teamId}`]),
    ...(environment ? [`in ${environment}`] : []),
  ].join(' ');
