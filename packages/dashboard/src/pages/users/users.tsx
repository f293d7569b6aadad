import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import type { Column } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';

type User = components['schemas']['ClientFacingUser'];

const COLUMNS: readonly Column<User>[] = [
  { title: 'Client user id', render: (user) => user.client_user_id },
  { title: 'Id', render: (user) => <CopyId id={user.user_id} />, width: 160 },
  { title: 'Created', render: (user) => <TimeText value={user.created_on} />, width: 200 },
];

const PAGE_SIZE = 50;

export function Page() {
  return (
    <PageFrame title="Users" calls={[{ method: 'GET', path: '/v2/user' }]}>
      <PagedTable
        label="Users"
        columns={COLUMNS}
        keyOf={(user) => user.user_id}
        pathOf={(user) => `users/${user.user_id}`}
        pageSize={PAGE_SIZE}
        queryKey={['get', '/v2/user']}
        fetchPage={async (page) => {
          const query = { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE };
          const { data } = await client.GET('/v2/user', { params: { query } });
          return { rows: data?.users ?? [], total: data?.total ?? 0 };
        }}
        empty={
          <EmptyState title="No users yet" call="POST /v2/user">
            A user is a person whose tests you order and whose devices you connect.
          </EmptyState>
        }
      />
    </PageFrame>
  );
}
