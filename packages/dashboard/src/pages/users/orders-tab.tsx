import { Button } from '@mantine/core';
import { client } from '../../api/client.ts';
import { useGoTo, usePermissions } from '../../base/tenant.ts';
import type { Column } from '../../components/data-table.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { sentence } from '../../components/person-fields.ts';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import type { Order } from './results.ts';
import type { TabProps } from './tab.ts';

const PAGE_SIZE = 50;

const COLUMNS: readonly Column<Order>[] = [
  {
    title: 'Lab test',
    phone: 'title',
    render: (order) => order.lab_test.name,
    width: 'minmax(180px, 2fr)',
  },
  {
    title: 'Status',
    phone: 'state',
    render: (order) => <StatusBadge status={order.last_event.status} />,
    width: 190,
  },
  { title: 'Interpretation', render: (order) => <StatusBadge status={order.interpretation} />, width: 120 },
  { title: 'Method', phone: 'detail', render: (order) => sentence(order.lab_test.method), width: 160 },
  { title: 'Id', render: (order) => <CopyId id={order.id} />, width: 150 },
  { title: 'Created', phone: 'aside', render: (order) => <TimeText value={order.created_at} />, width: 190 },
];

export function OrdersTab({ user }: TabProps) {
  const goTo = useGoTo();
  const mayOrder = usePermissions()('orders:write');
  const userId = user.user_id;
  return (
    <PagedTable
      label="Orders of the user"
      columns={COLUMNS}
      keyOf={(order) => order.id}
      pathOf={(order) => `orders/${order.id}`}
      pageSize={PAGE_SIZE}
      queryKey={['get', '/v3/orders', userId]}
      fetchPage={async (page) => {
        const query = { page, size: PAGE_SIZE, user_id: userId };
        const { data } = await client.GET('/v3/orders', { params: { query } });
        return { rows: data?.orders ?? [], total: data?.total ?? 0 };
      }}
      empty={
        <EmptyState
          title="No orders yet"
          call="POST /v3/order"
          action={
            mayOrder && <Button onClick={() => goTo('orders/new', { user_id: userId })}>New order</Button>
          }
        >
          An order asks a laboratory for a test of this user.
        </EmptyState>
      }
    />
  );
}
