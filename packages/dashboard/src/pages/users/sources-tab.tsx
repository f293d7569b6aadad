import { Stack } from '@mantine/core';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { sentence } from '../../components/person-fields.ts';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import type { TabProps } from './tab.ts';

type Statistics = components['schemas']['SingleResourceStatistics'];
type Pull = components['schemas']['SingleHistoricalPullStatistics'];

interface Row {
  readonly resource: string;
  readonly statistics: Statistics;
  readonly pull: Pull | undefined;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Resource', render: ({ resource }) => sentence(resource) },
  { title: 'Oldest data', render: ({ statistics }) => <TimeText value={statistics.oldest_data} /> },
  { title: 'Newest data', render: ({ statistics }) => <TimeText value={statistics.newest_data} /> },
  {
    title: 'Last attempt',
    render: ({ statistics }) => <TimeText value={statistics.last_attempt?.timestamp} />,
  },
  { title: 'Outcome', render: ({ statistics }) => <StatusBadge status={statistics.last_attempt?.status} /> },
  { title: 'History', render: ({ pull }) => <StatusBadge status={pull?.status} /> },
  { title: 'Days with data', align: 'right', render: ({ pull }) => pull?.days_with_data ?? '–' },
];

/** What each provider has sent of each kind, and whether its history was read. */
export function SourcesTab({ user }: TabProps) {
  const params = { query: { user_id: user.user_id } };
  const resources = api.useQuery('get', '/v2/introspect/resources', { params });
  const pulls = api.useQuery('get', '/v2/introspect/historical_pull', { params });
  const pulledOf = (provider: string) => pulls.data?.data[0]?.provider[provider]?.pulled ?? {};
  return (
    <Loaded query={resources}>
      {({ data }) => {
        const providers = Object.entries(data[0]?.provider ?? {});
        if (providers.length === 0)
          return (
            <EmptyState title="No data yet" call="GET /v2/introspect/resources">
              For each provider and kind of data: the oldest and the newest, the last attempt, and whether the
              history was read.
            </EmptyState>
          );
        return (
          <Stack>
            {providers.map(([provider, statistics]) => (
              <Section key={provider} title={sentence(provider)}>
                <DataTable
                  label={`Data of ${sentence(provider)}`}
                  columns={COLUMNS}
                  rows={Object.entries(statistics).map(([resource, of]) => ({
                    resource,
                    statistics: of,
                    pull: pulledOf(provider)[resource],
                  }))}
                  keyOf={({ resource }) => resource}
                />
              </Section>
            ))}
          </Stack>
        );
      }}
    </Loaded>
  );
}
