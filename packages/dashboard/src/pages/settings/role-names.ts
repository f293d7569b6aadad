import type { components } from '../../api/openapi.d.ts';

export type RoleBinding = components['schemas']['MemberRoleBindingView'];
type AssignableRole = RoleBinding['role'];
export type Member = components['schemas']['ClientFacingOrgMember'];
export type Invite = components['schemas']['ClientFacingOrgInvite'];

export const ASSIGNABLE_ROLES: readonly {
  readonly value: AssignableRole;
  readonly label: string;
  readonly does: string;
}[] = [
  {
    value: 'administrator',
    label: 'Administrator',
    does: 'Everything in its teams, including members and settings',
  },
  { value: 'developer', label: 'Developer', does: 'Integrates: patient data in sandbox only' },
  { value: 'operations', label: 'Operations', does: 'Orders, ships and schedules; sees no results' },
  { value: 'clinician', label: 'Clinician', does: 'Sees results and decides about them' },
  { value: 'readonly', label: 'Read-only', does: 'Sees everything of patients, changes nothing' },
  { value: 'support', label: 'Support', does: 'Sees states and deliveries without patient data' },
];

const LABELS: Readonly<Record<string, string>> = {
  owner: 'Owner',
  ...Object.fromEntries(ASSIGNABLE_ROLES.map(({ value, label }) => [value, label])),
};

export const labelOfRole = (role: string): string => LABELS[role] ?? role;

interface Held {
  readonly role: string;
  readonly team_id: string | null;
  readonly environment: string | null;
}

/** "Developer in sandbox of First team". */
export function describeBinding(
  { role, team_id: team, environment }: Held,
  nameOf: (id: string) => string,
): string {
  const where = [environment ?? undefined, team === null ? undefined : nameOf(team)].filter(Boolean);
  return where.length === 0 ? labelOfRole(role) : `${labelOfRole(role)} in ${where.join(' of ')}`;
}

/** All roles of a member or an invite, in words. */
export function describeRoles(
  person: Pick<Member, 'is_owner' | 'role' | 'team_role_bindings' | 'roles'> &
    Partial<Pick<Member, 'directory_roles'>>,
  nameOf: (id: string) => string,
): string[] {
  const {
    is_owner: isOwner,
    role,
    team_role_bindings: teams,
    roles,
    directory_roles: byDirectory = [],
  } = person;
  const first = isOwner
    ? ['Owner']
    : role === 'org_admin'
      ? ['Administrator of the organization']
      : role === 'team_admin'
        ? (teams ?? []).map(({ team_id: id }) => `Administrator of ${nameOf(id)}`)
        : [];
  return [
    ...first,
    ...roles.map((binding) => describeBinding(binding, nameOf)),
    ...byDirectory.map((binding) => `${describeBinding(binding, nameOf)} (by the directory)`),
  ];
}
