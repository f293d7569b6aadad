import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import type { Column } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';

type Order = components['schemas']['ClientFacingOrder'];

const COLUMNS: readonly Column<Order>[] = [
  { title: 'Lab test', render: (order) => order.lab_test.name, width: 'minmax(200px, 2fr)' },
  { title: 'Status', render: (order) => <StatusBadge status={order.last_event.status} />, width: 200 },
  { title: 'Id', render: (order) => <CopyId id={order.id} />, width: 150 },
  { title: 'Created', render: (order) => <TimeText value={order.created_at} />, width: 190 },
];

const PAGE_SIZE = 50;

export function Page() {
  return (
    <PageFrame title="Orders" calls={[{ method: 'GET', path: '/v3/orders' }]}>
      <PagedTable
        label="Orders"
        columns={COLUMNS}
        keyOf={(order) => order.id}
        pathOf={(order) => `orders/${order.id}`}
        pageSize={PAGE_SIZE}
        queryKey={['get', '/v3/orders']}
        fetchPage={async (page) => {
          const { data } = await client.GET('/v3/orders', { params: { query: { page, size: PAGE_SIZE } } });
          return { rows: data?.orders ?? [], total: data?.total ?? null };
        }}
        empty={
          <EmptyState title="No orders yet" call="POST /v3/order">
            An order asks a laboratory for a test of one user.
          </EmptyState>
        }
      />
    </PageFrame>
  );
}
