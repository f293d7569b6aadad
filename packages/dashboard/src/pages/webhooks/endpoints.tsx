import { Anchor, Group, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { useDeliveries, type Counts } from './deliveries.ts';
import { SuccessRate } from './success-rate.tsx';

type Webhook = components['schemas']['Webhook'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook';

export function Endpoints({ action }: { readonly action: ReactNode }) {
  const path = useTeamParams();
  const pathOf = useTenantPath();
  const byEndpoint = useDeliveries();
  return (
    <CursorTable
      label="Endpoints"
      columns={columnsOf(pathOf, byEndpoint)}
      keyOf={(endpoint) => endpoint.id}
      queryKey={['get', PATH, path]}
      fetchPage={async (cursor) => {
        const query = { limit: 50, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
        const { data } = await client.GET(PATH, { params: { path, query } });
        return { rows: data?.data ?? [], next: data?.next_cursor };
      }}
      empty={
        <EmptyState title="No endpoints yet" call={`POST ${PATH}`} action={action}>
          An endpoint is a URL of your service. Every event that it subscribes to, such as a finished result,
          is posted to it as a signed message, and again until your service answers with success.
        </EmptyState>
      }
    />
  );
}

const columnsOf = (
  pathOf: (path: string) => string,
  counts: ReadonlyMap<string, Counts>,
): readonly Column<Webhook>[] => [
  {
    title: 'Endpoint',
    phone: 'title',
    render: (endpoint) => (
      <Stack gap={0}>
        <Anchor component={Link} to={pathOf(`webhooks/${endpoint.id}`)} c="inherit" fw={500}>
          {endpoint.url}
        </Anchor>
        {endpoint.description && (
          <Text size="xs" c="dimmed">
            {endpoint.description}
          </Text>
        )}
      </Stack>
    ),
  },
  {
    title: 'Status',
    phone: 'state',
    width: 110,
    render: ({ disabled }) => <StatusBadge status={disabled ? 'disabled' : 'active'} />,
  },
  {
    title: 'Events',
    phone: 'detail',
    width: 180,
    render: ({ filter_types }) => <EventFilter types={filter_types} />,
  },
  {
    title: 'Delivered, 7 days',
    phone: 'aside',
    width: 150,
    render: ({ id }) => <SuccessRate counts={counts.get(id)} />,
  },
  { title: 'Id', width: 140, render: ({ id }) => <CopyId id={id} path={`webhooks/${id}`} /> },
  { title: 'Created', width: 170, render: (endpoint) => <TimeText value={endpoint.created_at} /> },
];

const EventFilter = ({ types }: { readonly types: readonly string[] | null }) => (
  <Group gap={4}>
    <Text size="sm" title={types?.join(', ')}>
      {types === null || types.length === 0 ? 'All events' : types.slice(0, 2).join(', ')}
    </Text>
    {types !== null && types.length > 2 && (
      <Text size="xs" c="dimmed">
        and {types.length - 2} more
      </Text>
    )}
  </Group>
);
