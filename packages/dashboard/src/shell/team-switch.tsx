import { Select, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useSession } from '../api/session.ts';
import { useTenant } from '../base/tenant.ts';

export function TeamSwitch() {
  const { teamId, environment } = useTenant();
  const navigate = useNavigate();
  const teams = useSession().data?.access.teams ?? [];
  if (teams.length < 2) return <Text size="sm">{teams[0]?.name}</Text>;
  return (
    <Select
      aria-label="Team"
      size="xs"
      w={160}
      searchable
      allowDeselect={false}
      data={teams.map(({ team_id: value, name: label }) => ({ value, label }))}
      value={teamId}
      onChange={(value) => value !== null && void navigate({ to: `/${value}/${environment}/home` })}
    />
  );
}
