import { ActionIcon, Button, Checkbox, Group, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '../../base/icons.ts';
import { useSession } from '../../api/session.ts';
import { ASSIGNABLE_ROLES, type AssignableRole, type Member, type RoleBinding } from './role-names.ts';
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
  const change = (index: number, changed: Partial<RoleBinding>) =>
    onChange({
      ...value,
      roles: roles.map((known, at) => (at === index ? { ...known, ...changed } : known)),
    });
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
      <Stack gap="xs" role="group" aria-label="Roles">
        <Text size="sm" fw={500}>
          Roles
        </Text>
        {roles.map((binding, index) => (
          <BindingRow
            key={`${index}-${roles.length}`}
            binding={binding}
            number={index + 1}
            teams={options}
            onChange={(changed) => change(index, changed)}
            onRemove={() => onChange({ ...value, roles: roles.filter((_, at) => at !== index) })}
          />
        ))}
        <Group>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlus size={15} />}
            onClick={() =>
              onChange({
                ...value,
                roles: [...roles, { role: 'readonly', team_id: null, environment: null }],
              })
            }
          >
            Add a role
          </Button>
        </Group>
      </Stack>
    </Stack>
  );
}

interface BindingRowProps {
  readonly binding: RoleBinding;
  readonly number: number;
  readonly teams: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (changed: Partial<RoleBinding>) => void;
  readonly onRemove: () => void;
}

const ANY = '';

const BindingRow = ({ binding, number, teams, onChange, onRemove }: BindingRowProps) => (
  <Group gap="xs" align="flex-end">
    <Select
      aria-label={`Role ${number}`}
      w={150}
      allowDeselect={false}
      data={ASSIGNABLE_ROLES.map(({ value, label }) => ({ value, label }))}
      value={binding.role}
      onChange={(role) => onChange({ role: (role ?? 'readonly') as AssignableRole })}
    />
    <Select
      aria-label={`Team of role ${number}`}
      flex={1}
      miw={150}
      searchable
      allowDeselect={false}
      data={[{ value: ANY, label: 'All teams' }, ...teams]}
      value={binding.team_id ?? ANY}
      onChange={(team) => onChange({ team_id: team === null || team === ANY ? null : team })}
    />
    <Select
      aria-label={`Environment of role ${number}`}
      w={150}
      allowDeselect={false}
      data={[
        { value: ANY, label: 'Both' },
        { value: 'sandbox', label: 'Sandbox' },
        { value: 'production', label: 'Production' },
      ]}
      value={binding.environment ?? ANY}
      onChange={(chosen) =>
        onChange({ environment: chosen === 'sandbox' || chosen === 'production' ? chosen : null })
      }
    />
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={`Remove role ${number}`}
      onClick={onRemove}
    >
      <IconTrash size={16} />
    </ActionIcon>
  </Group>
);
