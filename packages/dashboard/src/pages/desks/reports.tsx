import { Text } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { shortId } from '../../base/short-id.ts';
import { DataTable } from '../../components/data-table.tsx';
import { LoadMore } from '../../components/load-more.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';

export function Page() {
  const list = useInfiniteQuery({
    queryKey: ['get', '/lab_report/v1/parser/job'],
    queryFn: async ({ pageParam }) => {
      const { data } = await client.GET('/lab_report/v1/parser/job', {
        params: { query: { limit: 50, ...(pageParam === null ? {} : { next_cursor: pageParam }) } },
      });
      return data ?? { data: [], next_cursor: null };
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
  });
  return (
    <PageFrame
      title="Lab report review"
      description="Uploaded reports that were read and wait for a person, the longest waiting first."
      calls={[{ method: 'GET', path: '/lab_report/v1/parser/job' }]}
    >
      <Loaded query={list}>
        {({ pages }) => (
          <>
            <DataTable
              label="Reports in review"
              rows={pages.flatMap(({ data }) => data)}
              keyOf={(row) => row.id}
              pathOf={(row) => `desks/reports/${row.id}`}
              columns={[
                { title: 'Report', phone: 'title', render: (row) => `Report ${shortId(row.id)}` },
                {
                  title: 'Waiting',
                  phone: 'state',
                  render: (row) => <TimeText value={row.updated_at} relative />,
                },
                {
                  title: 'Why',
                  phone: 'detail',
                  render: (row) =>
                    row.needs_human_review ? 'Asked for at the upload' : 'A line is in doubt',
                },
                { title: 'Pages', render: (row) => row.pages, align: 'right', width: 80 },
                { title: 'User', render: (row) => <CopyId id={row.user_id} path={`users/${row.user_id}`} /> },
                { title: 'Uploaded', phone: 'aside', render: (row) => <TimeText value={row.created_at} /> },
              ]}
              empty={
                <EmptyState title="No report waits for a review" call="POST /lab_report/v1/parser/job">
                  A report that a patient photographed or downloaded is read on this machine. When a line is
                  in doubt, or the upload asks for it, it waits here. The team setting for reviews must be on.
                </EmptyState>
              }
            />
            <LoadMore query={list} />
            <Text size="xs" c="dimmed">
              Open the first one: the whole review can be done with the keyboard.
            </Text>
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}
