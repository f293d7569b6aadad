import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { IconPlus } from '../../base/icons.ts';
import { useGoTo, usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import type { Column } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page.tsx';
import { PagedTable, Total } from '../../components/paged-table.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { METHOD_NAMES, patientName, type Order } from './order-data.ts';
import { SavedViews } from './saved-views.tsx';
import { OrderFilters, toOrderQuery, type OrderQuery } from './order-filters.tsx';

const COLUMNS: readonly Column<Order>[] = [
  { title: 'Lab test', phone: 'title', render: (order) => order.lab_test.name, width: 210 },
  { title: 'Patient', phone: 'detail', render: patientName, width: 'minmax(130px, 1fr)' },
  {
    title: 'Status',
    phone: 'state',
    render: (order) => <StatusBadge status={order.last_event.status} />,
    width: 180,
  },
  { title: 'Result', render: (order) => <Judgement order={order} />, width: 100 },
  { title: 'Method', render: (order) => METHOD_NAMES[order.details.type], width: 110 },
  { title: 'Id', render: (order) => <CopyId id={order.id} />, width: 130 },
  { title: 'Created', phone: 'aside', render: (order) => <TimeText value={order.created_at} />, width: 175 },
];

const JUDGEMENT_COLORS: Readonly<Record<string, string>> = { critical: 'red', abnormal: 'yellow' };

const Judgement = ({ order: { interpretation } }: { readonly order: Order }) =>
  interpretation === null ? (
    <>–</>
  ) : (
    <Text
      span
      inherit
      fw={interpretation === 'critical' ? 600 : 400}
      c={JUDGEMENT_COLORS[interpretation] ? 'bright' : 'inherit'}
    >
      {interpretation}
    </Text>
  );

const PAGE_SIZE = 50;

async function fetchOrders(query: OrderQuery, page: number) {
  const { data } = await client.GET('/v3/orders', { params: { query: { ...query, page, size: PAGE_SIZE } } });
  return { rows: data?.orders ?? [], total: data?.total ?? null };
}

/** For members who may order. */
function NewOrderButton() {
  const goTo = useGoTo();
  if (!usePermissions()('orders:write')) return null;
  return (
    <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => goTo('orders/new')}>
      New order
    </Button>
  );
}

export function Page() {
  const [filters] = useUrlState();
  const [search, setSearch] = useState('');
  const query = toOrderQuery(filters, search);
  const queryKey = ['get', '/v3/orders', query];
  const first = useQuery({ queryKey: [...queryKey, { page: 1 }], queryFn: () => fetchOrders(query, 1) });
  const isFiltered = Object.keys(query).length > 0;
  return (
    <PageFrame
      title="Orders"
      calls={[{ method: 'GET', path: '/v3/orders', query: toShownQuery(query) }]}
      actions={
        <>
          <SavedViews />
          <NewOrderButton />
        </>
      }
      description="Every order of a lab test, from the request to its result."
    >
      <OrderFilters onSearch={setSearch} />
      {first.data && first.data.total !== 0 && (
        <Total total={first.data.total} noun={first.data.total === 1 ? 'order' : 'orders'} />
      )}
      <PagedTable
        label="Orders"
        columns={COLUMNS}
        keyOf={(order) => order.id}
        pathOf={(order) => `orders/${order.id}`}
        pageSize={PAGE_SIZE}
        queryKey={queryKey}
        fetchPage={(page) => fetchOrders(query, page)}
        empty={
          isFiltered ? (
            <EmptyState title="No order matches">
              Change the filters, or clear them to see every order.
            </EmptyState>
          ) : (
            <EmptyState title="No orders yet" call="POST /v3/order" action={<NewOrderButton />}>
              An order asks a laboratory for a test of one user.
            </EmptyState>
          )
        }
      />
    </PageFrame>
  );
}

/** What a program would send. The text that was searched may name a patient, and is left out. */
const toShownQuery = ({ search_input: _text, ...query }: OrderQuery): Record<string, string> =>
  Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
