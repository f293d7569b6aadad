import { ActionIcon, Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconPlus, IconTrash } from '../../base/icons.ts';
import { useTeamNames } from './use-team-names.ts';

/** A role, and where it holds. */
interface Binding<Role extends string> {
  readonly role: Role;
  readonly team_id: string | null;
  readonly environment: 'production' | 'sandbox' | null;
}

interface BindingsEditorProps<Role extends string> {
  readonly roles: readonly { readonly value: Role; readonly label: string }[];
  readonly value: readonly Binding<Role>[];
  readonly onChange: (value: readonly Binding<Role>[]) => void;
}

/** Any number of roles, each in one team or all, and in one environment or both. */
export function BindingsEditor<Role extends string>({ roles, value, onChange }: BindingsEditorProps<Role>) {
  const { options } = useTeamNames();
  const least = roles.find(({ value: role }) => role === 'readonly')?.value;
  const change = (index: number, changed: Partial<Binding<Role>>) =>
    onChange(value.map((known, at) => (at === index ? { ...known, ...changed } : known)));
  return (
    <Stack gap="xs" role="group" aria-label="Roles">
      <Text size="sm" fw={500}>
        Roles
      </Text>
      {value.map((binding, index) => (
        <BindingRow
          key={`${index}-${value.length}`}
          binding={binding}
          number={index + 1}
          roles={roles}
          teams={options}
          onChange={(changed) => change(index, changed)}
          onRemove={() => onChange(value.filter((_, at) => at !== index))}
        />
      ))}
      <Group>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlus size={15} />}
          onClick={() => least && onChange([...value, { role: least, team_id: null, environment: null }])}
        >
          Add a role
        </Button>
      </Group>
    </Stack>
  );
}

interface BindingRowProps<Role extends string> {
  readonly binding: Binding<Role>;
  readonly number: number;
  readonly roles: readonly { readonly value: Role; readonly label: string }[];
  readonly teams: readonly { readonly value: string; readonly label: string }[];
  readonly onChange: (changed: Partial<Binding<Role>>) => void;
  readonly onRemove: () => void;
}

/** A choice without a value of its own: all teams, both environments. */
const ANY = '';

function BindingRow<Role extends string>(props: BindingRowProps<Role>) {
  const { binding, number, roles, teams, onChange, onRemove } = props;
  return (
    <Group gap="xs" align="flex-end">
      <Select
        aria-label={`Role ${number}`}
        w={150}
        allowDeselect={false}
        data={[...roles]}
        value={binding.role}
        onChange={(role) => role !== null && onChange({ role })}
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
}
