import { PERMISSIONS, type Permission } from '../../packages/server/src/identity/roles/permissions.ts';
import { ASSIGNABLE_ROLES } from '../../packages/server/src/identity/roles/role.ts';

/** The table of roles for the dashboard: which role has which permission, in which environment. */
export const permissionTable = (): string => {
  const rows = (Object.keys(PERMISSIONS) as Permission[]).map((name) => {
    const { description, roles, sandboxRoles, recent } = PERMISSIONS[name];
    const cells = ASSIGNABLE_ROLES.map((role) => [
      role,
      roles.includes(role) ? 'both' : sandboxRoles.includes(role) ? 'sandbox' : 'none',
    ]);
    return { permission: name, may: description, recent: recent !== false, ...Object.fromEntries(cells) };
  });
  return `${JSON.stringify(rows, null, 2)}\n`;
};
