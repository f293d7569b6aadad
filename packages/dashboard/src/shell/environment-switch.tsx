import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useTenant } from '../base/tenant.ts';

/** Sandbox or production. Objects of one do not exist in the other, so the switch leads to the home page. */
export function EnvironmentSwitch() {
  const { teamId, environment } = useTenant();
  const navigate = useNavigate();
  return (
    <SegmentedControl
      size="xs"
      aria-label="Environment"
      value={environment}
      onChange={(value) => void navigate({ to: `/${teamId}/${value}/home` })}
      data={[
        { value: 'sandbox', label: 'Sandbox' },
        { value: 'production', label: 'Production' },
      ]}
      color={environment === 'sandbox' ? '#b45309' : 'accent'}
    />
  );
}
