import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { ProviderName } from '../../components/provider-name.tsx';
import { EmptyState } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';

type Operation = components['schemas']['BulkOp'];

const PATH = '/v2/link/bulk_op';
const NAMES: Readonly<Record<string, string>> = {
  link_bulk_import: 'Import of connections',
  link_bulk_historical_trigger: 'Historical pull',
};

const COLUMNS: readonly Column<Operation>[] = [
  { title: 'Operation', phone: 'title', render: ({ type }) => NAMES[type] ?? type },
  {
    title: 'Provider',
    phone: 'detail',
    width: 140,
    render: ({ provider }) => <ProviderName slug={provider} />,
  },
  { title: 'State', phone: 'state', width: 120, render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Done',
    phone: 'aside',
    width: 140,
    align: 'right',
    render: ({ processed, pending }) =>
      `${processed.toLocaleString()} of ${(processed + pending).toLocaleString()}`,
  },
  { title: 'Started', phone: 'line', width: 170, render: ({ started_at: at }) => <TimeText value={at} /> },
  { title: 'Ended', phone: 'line', width: 170, render: ({ ended_at: at }) => <TimeText value={at} /> },
];

export const BulkOperations = () => (
  <CursorTable
    label="Bulk operations"
    columns={COLUMNS}
    keyOf={({ type, provider, started_at: at }) => `${type}-${provider}-${at}`}
    queryKey={['get', PATH]}
    fetchPage={async (cursor) => {
      const query = { page_size: 50, ...(cursor && { next_cursor: cursor }) };
      const { data } = await client.GET(PATH, { params: { query } });
      return { rows: data?.data ?? [], next: data?.next_cursor };
    }}
    empty={
      <EmptyState title="No bulk operations" call="POST /v2/link/bulk_import">
        Connections of another service can be imported in bulk, and the history of many users fetched again.
      </EmptyState>
    }
  />
);
