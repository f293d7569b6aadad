import { Checkbox, MultiSelect, Select, Stack } from '@mantine/core';
import { useSession } from '../../api/session.ts';
import { BindingsEditor } from './bindings-editor.tsx';
import { ASSIGNABLE_ROLES, type Member, type RoleBinding } from './role-names.ts';
import { useTeamNames } from './use-team-names.ts';

/** What a member or an invite may do, as the API takes it. */
export interface GivenRoles {
  readonly role: Member['role'];
  readonly teamIds: readonly string[];
  readonly isOwner: boolean;
  readonly roles: readonly RoleBinding[];
}

export const NO_ROLES: GivenRoles = {
  role: 'no_role',
  teamIds: [],
  isOwner: false,
  roles: [{ role: 'readonly', team_id: null, environment: null }],
};

export const toRolesBody = ({ role, teamIds, isOwner, roles }: GivenRoles) => ({
  role,
  team_role_bindings: role === 'team_admin' ? teamIds.map((id) => ({ team_id: id })) : null,
  is_owner: role === 'org_admin' && isOwner,
  roles: [...roles],
});

interface RoleEditorProps {
  readonly value: GivenRoles;
  readonly onChange: (value: GivenRoles) => void;
}

const BASE = [
  { value: 'no_role', label: 'Only the roles below' },
  { value: 'team_admin', label: 'Administrator of some teams' },
  { value: 'org_admin', label: 'Administrator of the organization' },
];

/** Roles by team and environment. */
export function RoleEditor({ value, onChange }: RoleEditorProps) {
  const { options } = useTeamNames();
  const isOwnerHere = useSession().data?.access.roles.includes('owner') ?? false;
  const { role, teamIds, isOwner, roles } = value;
  return (
    <Stack gap="sm">
      <Select
        label="Administration"
        data={BASE}
        value={role}
        allowDeselect={false}
        onChange={(chosen) => onChange({ ...value, role: (chosen ?? 'no_role') as Member['role'] })}
      />
      {role === 'team_admin' && (
        <MultiSelect
          label="Teams"
          required
          data={[...options]}
          value={[...teamIds]}
          onChange={(chosen) => onChange({ ...value, teamIds: chosen })}
        />
      )}
      {role === 'org_admin' && (
        <Checkbox
          label="Owner"
          description={
            isOwnerHere
              ? 'May do everything, also what administrators may not: decide how members sign in, open break-glass access.'
              : 'Only an owner can make an owner.'
          }
          disabled={!isOwnerHere}
          checked={isOwner}
          onChange={(event) => onChange({ ...value, isOwner: event.currentTarget.checked })}
        />
      )}
      <BindingsEditor
        roles={ASSIGNABLE_ROLES}
        value={roles}
        onChange={(chosen) => onChange({ ...value, roles: chosen })}
      />
    </Stack>
  );
}
