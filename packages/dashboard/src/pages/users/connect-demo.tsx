import { Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { IconChevronDown } from '../../base/icons.ts';
import { usePermissions, useTenant } from '../../base/tenant.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';
import type { User } from './tab.ts';

const PROVIDERS = [
  { value: 'oura', label: 'Oura' },
  { value: 'fitbit', label: 'Fitbit' },
  { value: 'apple_health_kit', label: 'Apple HealthKit' },
  { value: 'freestyle_libre', label: 'FreeStyle Libre (glucose)' },
] as const;

/** In sandbox: a month of invented data from a provider, and new ones for seven days. */
export function ConnectDemo({ user }: { readonly user: User }) {
  const { environment } = useTenant();
  const mayConnect = usePermissions()('connections:write');
  const queries = useQueryClient();
  const connect = useMutation({
    mutationFn: (provider: (typeof PROVIDERS)[number]['value']) =>
      client.POST('/v2/link/connect/demo', { body: { user_id: user.user_id, provider } }),
    onSuccess: async () => {
      tellDone('The demo provider is connected. Its data arrive in a moment.');
      await queries.invalidateQueries();
    },
    onError: tellError,
  });
  if (environment !== 'sandbox' || !mayConnect) return null;
  return (
    <Menu>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          loading={connect.isPending}
          rightSection={<IconChevronDown size={14} />}
        >
          Connect a demo provider
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {PROVIDERS.map(({ value, label }) => (
          <Menu.Item key={value} onClick={() => connect.mutate(value)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
