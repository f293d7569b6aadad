import { Select, Stack, Text } from '@mantine/core';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { DetailsDrawer } from '../../components/details-drawer.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId, KeyValues, TimeText } from '../../components/values.tsx';
import { LogFilters } from './log-filters.tsx';
import { RequestEvents } from './request-events.tsx';
import { RequestStatus } from './request-status.tsx';

type Entry = components['schemas']['RequestLogEntry'];

const PATH = '/v1/request-log';
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
const CLASSES = ['2xx', '3xx', '4xx', '5xx'] as const;
const FIELDS = [
  { name: 'path', label: 'Path begins with', placeholder: '/v3/order/' },
  { name: 'operation', label: 'Operation', placeholder: 'createOrder' },
  { name: 'key_id', label: 'Key or member id', placeholder: 'The id of the caller' },
  { name: 'request_id', label: 'Request id', placeholder: 'x-request-id' },
];

const COLUMNS: readonly Column<Entry>[] = [
  {
    title: 'Request',
    phone: 'title',
    render: ({ method, path, problem }) => (
      <Stack gap={0}>
        <Text size="sm" ff="monospace" style={{ overflowWrap: 'anywhere' }}>
          {method} {path}
        </Text>
        {problem && (
          <Text size="xs" c="dimmed" hiddenFrom="xl">
            {problem.code}
          </Text>
        )}
      </Stack>
    ),
  },
  { title: 'Status', phone: 'state', width: 90, render: ({ status }) => <RequestStatus status={status} /> },
  {
    title: 'Duration',
    width: 100,
    align: 'right',
    render: ({ duration_ms: duration }) => <span className="numbers">{duration.toLocaleString()} ms</span>,
  },
  { title: 'By', phone: 'detail', width: 130, render: ({ kind }) => kind.replaceAll('_', ' ') },
  { title: 'Problem', width: 170, isWideOnly: true, render: ({ problem }) => problem?.code ?? '–' },
  { title: 'Time', phone: 'aside', width: 190, render: ({ at }) => <TimeText value={at} /> },
];

/** The requests to the team API: what was asked, how it was answered, how long it took. No values of patients. */
export function Page() {
  const [state, setState] = useUrlState();
  const method = METHODS.find((one) => one === state['method']);
  const statusClass = CLASSES.find((one) => one === state['status']);
  const filter = {
    ...Object.fromEntries(
      FIELDS.map(({ name }) => [name, state[name] ?? ''] as const).filter(([, value]) => value !== ''),
    ),
    ...(method && { method }),
    ...(statusClass && { status_class: statusClass }),
  };
  const opened = state['request'];
  return (
    <PageFrame
      title="API requests"
      description="Every request to the API of this team of the last days, without the values in it."
      calls={[{ method: 'GET', path: PATH, query: filter }]}
    >
      <Stack gap="sm">
        <LogFilters fields={FIELDS}>
          <Choice
            label="Method"
            values={METHODS}
            value={method}
            onChange={(value) => setState({ method: value })}
          />
          <Choice
            label="Status"
            values={CLASSES}
            value={statusClass}
            onChange={(value) => setState({ status: value })}
          />
        </LogFilters>
        <CursorTable
          label="API requests"
          columns={COLUMNS}
          keyOf={({ id }) => id}
          queryKey={['get', PATH, filter]}
          fetchPage={async (cursor) => {
            const query = { limit: 50, ...filter, ...(cursor && { next_cursor: cursor }) };
            const { data } = await client.GET(PATH, { params: { query } });
            return { rows: data?.data ?? [], next: data?.next_cursor };
          }}
          onOpen={({ id }) => setState({ request: id })}
          selectedKey={opened}
          empty={
            <EmptyState title="No requests" call="GET /v1/request-log">
              Requests of your programs appear here a second after they were answered.
            </EmptyState>
          }
        />
      </Stack>
      {opened !== undefined && (
        <DetailsDrawer title="API request" size="lg" onClose={() => setState({ request: undefined })}>
          <Details id={opened} />
        </DetailsDrawer>
      )}
    </PageFrame>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly values: readonly string[];
  readonly value: string | undefined;
  readonly onChange: (value: string | undefined) => void;
}

const Choice = ({ label, values, value, onChange }: ChoiceProps) => (
  <Select
    size="xs"
    w={110}
    label={label}
    placeholder="All"
    clearable
    clearButtonProps={{ 'aria-label': `Clear ${label}` }}
    data={[...values]}
    value={value ?? null}
    onChange={(chosen) => onChange(chosen ?? undefined)}
  />
);

function Details({ id }: { readonly id: string }) {
  const may = usePermissions();
  const request = api.useQuery('get', `${PATH}/{request_log_id}`, {
    params: { path: { request_log_id: id } },
  });
  return (
    <Loaded query={request} lines={8}>
      {(entry) => (
        <Stack>
          <KeyValues
            rows={[
              ['Request', `${entry.method} ${entry.path}`],
              ['Route', entry.route],
              ['Operation', entry.operation],
              ['Status', <RequestStatus key="status" status={entry.status} />],
              ['Duration', `${entry.duration_ms.toLocaleString()} ms`],
              ['Time', <TimeText key="time" value={entry.at} />],
              ['Caller', entry.kind.replaceAll('_', ' ')],
              ['Caller id', <CopyId key="caller" id={entry.key_id} />],
              ['Request id', <CopyId key="request" id={entry.request_id} />],
              [
                'Idempotency key',
                entry.idempotency_key === null ? null : (
                  <CopyId key="idempotency" id={entry.idempotency_key} />
                ),
              ],
              ['Problem', entry.problem?.code],
            ]}
          />
          {entry.problem && entry.problem.locations.length > 0 && (
            <DataTable
              label="Where the request was wrong"
              rows={entry.problem.locations}
              keyOf={({ loc, type }) => `${loc.join('.')}-${type}`}
              columns={[
                { title: 'Place', render: ({ loc }) => loc.join('.') },
                { title: 'Kind', render: ({ type }) => type },
              ]}
            />
          )}
          {may('messages:read') && <RequestEvents requestId={entry.request_id} />}
        </Stack>
      )}
    </Loaded>
  );
}
