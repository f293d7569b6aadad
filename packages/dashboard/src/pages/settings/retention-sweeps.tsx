import { Stack } from '@mantine/core';
import { api } from '../../api/client.ts';
import { DataTable } from '../../components/data-table.tsx';
import { BY_CURSOR, LoadMore } from '../../components/load-more.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { TimeText } from '../../components/values.tsx';
import { RETENTION_KINDS } from './retention-kinds.ts';
import { useTenantScope } from './use-tenant-scope.ts';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/retention/sweep';

/** What was deleted because of its age. */
export function Sweeps() {
  const path = useTenantScope();
  const query = api.useInfiniteQuery('get', PATH, { params: { path } }, BY_CURSOR);
  return (
    <Section title="What was deleted">
      <Loaded query={query} lines={3}>
        {({ pages }) => (
          <Stack>
            <DataTable
              label="Deletions"
              rows={pages.flatMap(({ data }) => data)}
              keyOf={({ id }) => id}
              empty={
                <EmptyState title="Nothing was deleted yet">
                  Once a day the service deletes what is older than the days above, and says here how much.
                </EmptyState>
              }
              columns={[
                { title: 'Day', render: ({ day }) => day },
                { title: 'Data', render: ({ kind }) => RETENTION_KINDS[kind].label },
                { title: 'Deleted', align: 'right', render: ({ deleted }) => deleted.toLocaleString() },
                { title: 'Older than', render: ({ deleted_before: at }) => <TimeText value={at} /> },
                { title: 'Finished', render: ({ finished_at: at }) => <TimeText value={at} /> },
              ]}
            />
            <LoadMore query={query} />
          </Stack>
        )}
      </Loaded>
    </Section>
  );
}
