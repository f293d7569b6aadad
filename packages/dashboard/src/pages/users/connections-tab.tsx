import { Button, Group, Image, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { usePermissions } from '../../base/tenant.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { ConnectDemo } from './connect-demo.tsx';
import type { TabProps } from './tab.ts';

type Provider = components['schemas']['ClientFacingProviderWithStatus'];
type ProviderName = components['schemas']['ProvidersInput'];

const resourcesOf = ({ resource_availability: resources }: Provider) => {
  const available = Object.values(resources).filter(({ status }) => status === 'available').length;
  return `${available} of ${Object.keys(resources).length} available`;
};

export function ConnectionsTab({ user }: TabProps) {
  const mayConnect = usePermissions()('connections:write');
  const params = { path: { user_id: user.user_id } };
  const providers = api.useQuery('get', '/v2/user/providers/{user_id}', { params });
  const columns: readonly Column<Provider>[] = [
    { title: 'Provider', phone: 'title', render: (provider) => <ProviderName provider={provider} /> },
    { title: 'Status', phone: 'state', render: ({ status }) => <StatusBadge status={status} /> },
    { title: 'Resources', phone: 'detail', render: resourcesOf },
    {
      title: 'Problem',
      phone: 'line',
      render: ({ error_details: problem }) => problem?.error_message ?? '–',
    },
    { title: 'Connected', phone: 'aside', render: ({ created_on: created }) => <TimeText value={created} /> },
    ...(mayConnect
      ? [
          {
            title: 'Actions',
            phone: 'actions' as const,
            align: 'right' as const,
            render: ({ slug, name }: Provider) => (
              <Disconnect userId={user.user_id} slug={slug} name={name} />
            ),
          },
        ]
      : []),
  ];
  return (
    <Stack>
      <Group justify="flex-end">
        <PortalLink userId={user.user_id} />
        <ConnectDemo user={user} />
      </Group>
      <Loaded query={providers}>
        {(data) => (
          <DataTable
            label="Connections"
            columns={columns}
            rows={data.providers}
            keyOf={({ slug }) => slug}
            empty={
              <EmptyState title="No connections yet" call="POST /v2/link/token">
                A connection is the permission of this user to read data from a provider of devices. Send the
                user the portal link, or make a link token in your app.
              </EmptyState>
            }
          />
        )}
      </Loaded>
    </Stack>
  );
}

const ProviderName = ({ provider: { name, logo } }: { readonly provider: Provider }) => (
  <Group gap="xs" wrap="nowrap">
    {logo.startsWith('data:') && <Image src={logo} alt="" w={18} h={18} />}
    <Text size="sm" fw={500}>
      {name}
    </Text>
  </Group>
);

interface DisconnectProps {
  readonly userId: string;
  readonly slug: string;
  readonly name: string;
}

function Disconnect({ userId, slug, name }: DisconnectProps) {
  const queries = useQueryClient();
  const disconnect = useMutation({
    mutationFn: () =>
      client.DELETE('/v2/user/{user_id}/{provider}', {
        params: { path: { user_id: userId, provider: slug as ProviderName } },
      }),
    onSuccess: async () => {
      tellDone(`${name} is disconnected`);
      await queries.invalidateQueries({ queryKey: ['get'] });
    },
    onError: tellError,
  });
  const ask = () =>
    confirm({
      title: `Disconnect ${name}?`,
      text: 'No new data come from this provider. Data that are here stay. The user can connect it again.',
      action: 'Disconnect',
      isDangerous: true,
      run: () => disconnect.mutate(),
    });
  return (
    <Button
      variant="subtle"
      color="red"
      size="compact-sm"
      loading={disconnect.isPending}
      onClick={ask}
      aria-label={`Disconnect ${name}`}
    >
      Disconnect
    </Button>
  );
}

/** The page where the user connects and disconnects providers; the link works for an hour. */
function PortalLink({ userId }: { readonly userId: string }) {
  const may = usePermissions();
  const create = useMutation({
    mutationFn: () =>
      client.POST('/v2/user/{user_id}/create_portal_url', {
        params: { path: { user_id: userId } },
        body: { context: 'launch' },
      }),
    onSuccess: async ({ data }) => {
      if (!data) return;
      await navigator.clipboard.writeText(data.url);
      tellDone('The link is in the clipboard. It works for one hour.');
    },
    onError: tellError,
  });
  if (!may('connections:write')) return null;
  return (
    <Button variant="default" size="xs" loading={create.isPending} onClick={() => create.mutate()}>
      Copy a portal link
    </Button>
  );
}
