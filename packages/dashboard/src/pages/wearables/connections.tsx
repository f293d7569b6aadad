import { Stack, Text } from '@mantine/core';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { ProviderName } from '../../components/provider-name.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { ProviderFilter, useProvider } from './provider-filter.tsx';

type Statistics = components['schemas']['SingleResourceStatistics'];

interface Connection {
  readonly userId: string;
  readonly provider: string;
  readonly resources: readonly (readonly [string, Statistics])[];
}

const PATH = '/v2/introspect/resources';

const COLUMNS: readonly Column<Connection>[] = [
  { title: 'Provider', phone: 'title', render: ({ provider }) => <ProviderName slug={provider} /> },
  {
    title: 'User',
    phone: 'detail',
    width: 160,
    render: ({ userId }) => <CopyId id={userId} path={`users/${userId}`} />,
  },
  {
    title: 'State',
    phone: 'state',
    width: 120,
    render: ({ resources }) => <StatusBadge status={stateOf(resources)} />,
  },
  {
    title: 'Resources',
    width: 220,
    render: ({ resources }) => (
      <Text size="sm" lineClamp={1} title={resources.map(([name]) => name).join(', ')}>
        {resources.length === 1 ? '1 resource' : `${resources.length} resources`}
      </Text>
    ),
  },
  {
    title: 'Newest data',
    phone: 'aside',
    width: 160,
    render: ({ resources }) => <TimeText value={newest(resources)} relative />,
  },
  {
    title: 'Last attempt',
    width: 160,
    render: ({ resources }) => <TimeText value={lastAttempt(resources)} relative />,
  },
];

/** Each user and provider with the state of its data. */
export function Connections() {
  const provider = useProvider();
  return (
    <Stack gap="sm">
      <ProviderFilter />
      <CursorTable
        label="Connections"
        columns={COLUMNS}
        keyOf={({ userId, provider: name }) => `${userId}-${name}`}
        queryKey={['get', PATH, provider]}
        fetchPage={async (cursor) => {
          const query = {
            user_limit: 25,
            ...(provider && { provider }),
            ...(cursor && { next_cursor: cursor }),
          };
          const { data } = await client.GET(PATH, { params: { query } });
          return { rows: (data?.data ?? []).flatMap(toConnections), next: data?.next_cursor };
        }}
        empty={
          <EmptyState title="No connections" call="POST /v2/link/token">
            A user connects a device or an app on the link page. In sandbox, connect a demo provider from the
            page of a user.
          </EmptyState>
        }
      />
    </Stack>
  );
}

const toConnections = ({
  user_id: userId,
  provider: providers,
}: components['schemas']['SingleUserResourceResponse']): readonly Connection[] =>
  Object.entries(providers).map(([provider, resources]) => ({
    userId,
    provider,
    resources: Object.entries(resources),
  }));

type Resources = Connection['resources'];

function stateOf(resources: Resources): string {
  const attempts = resources.flatMap(([, { last_attempt: attempt }]) => (attempt ? [attempt.status] : []));
  if (attempts.length === 0) return 'waiting';
  if (attempts.every((status) => status === 'success')) return 'active';
  return attempts.includes('success') ? 'partial' : 'failing';
}

const latest = (times: readonly (string | null | undefined)[]): string | undefined =>
  times.filter((time) => typeof time === 'string').toSorted((a, b) => Date.parse(b) - Date.parse(a))[0];

const newest = (resources: Resources) => latest(resources.map(([, { newest_data: time }]) => time));
const lastAttempt = (resources: Resources) =>
  latest(resources.map(([, { last_attempt: attempt }]) => attempt?.timestamp));
