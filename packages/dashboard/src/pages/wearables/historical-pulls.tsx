import { Group, Progress, Stack, Text } from '@mantine/core';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { ProviderName } from '../../components/provider-name.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { ProviderFilter, useProvider } from './provider-filter.tsx';

interface Pull {
  readonly userId: string;
  readonly provider: string;
  readonly resources: readonly (readonly [string, components['schemas']['SingleHistoricalPullStatistics']])[];
}

const PATH = '/v2/introspect/historical_pull';

const COLUMNS: readonly Column<Pull>[] = [
  { title: 'Provider', phone: 'title', render: ({ provider }) => <ProviderName slug={provider} /> },
  {
    title: 'User',
    phone: 'detail',
    width: 160,
    render: ({ userId }) => <CopyId id={userId} path={`users/${userId}`} />,
  },
  { title: 'State', phone: 'state', width: 120, render: (pull) => <StatusBadge status={stateOf(pull)} /> },
  { title: 'Progress', phone: 'line', width: 200, render: (pull) => <PullProgress pull={pull} /> },
  {
    title: 'Problems',
    phone: 'line',
    width: 220,
    render: (pull) => (
      <Text size="sm" lineClamp={2}>
        {problemsOf(pull)}
      </Text>
    ),
  },
  {
    title: 'Scheduled',
    phone: 'aside',
    width: 150,
    render: ({ resources }) => (
      <TimeText value={resources.map(([, { timeline }]) => timeline.scheduled_at).toSorted()[0]} relative />
    ),
  },
];

/** The history that is fetched once after a connection was made, by user and provider. */
export function HistoricalPulls() {
  const provider = useProvider();
  return (
    <Stack gap="sm">
      <ProviderFilter />
      <CursorTable
        label="Historical pulls"
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
          return { rows: (data?.data ?? []).flatMap(toPulls), next: data?.next_cursor };
        }}
        empty={
          <EmptyState title="No historical pulls" call="POST /v2/link/bulk_trigger_historical_pull">
            After a user connects a provider, the past months are fetched once. Here is how far that is.
          </EmptyState>
        }
      />
    </Stack>
  );
}

const toPulls = ({
  user_id: userId,
  provider: providers,
}: components['schemas']['SingleUserHistoricalPullResponse']): readonly Pull[] =>
  Object.entries(providers).map(([provider, { pulled }]) => ({
    userId,
    provider,
    resources: Object.entries(pulled),
  }));

const statesOf = ({ resources }: Pull) => resources.map(([, { status }]) => status);

function stateOf(pull: Pull): string {
  const states = statesOf(pull);
  if (states.includes('failure')) return states.every((state) => state === 'failure') ? 'failure' : 'partial';
  return states.every((state) => state === 'success') ? 'completed' : 'in process';
}

function PullProgress({ pull }: { readonly pull: Pull }) {
  const states = statesOf(pull);
  const done = states.filter((state) => state === 'success' || state === 'failure').length;
  const failed = states.filter((state) => state === 'failure').length;
  const share = (count: number) => (count / Math.max(1, states.length)) * 100;
  return (
    <Group gap="xs" wrap="nowrap">
      <Progress.Root size="sm" w={90}>
        <Progress.Section value={share(done - failed)} color="teal" aria-label="Fetched" />
        <Progress.Section value={share(failed)} color="red" aria-label="Failed" />
      </Progress.Root>
      <Text size="sm" className="numbers">
        {done} of {states.length}
      </Text>
    </Group>
  );
}

const problemsOf = ({ resources }: Pull): string =>
  resources
    .flatMap(([name, { error_details: problem }]) =>
      problem === null ? [] : [`${name}: ${problem.replaceAll('_', ' ')}`],
    )
    .join(', ') || '–';
