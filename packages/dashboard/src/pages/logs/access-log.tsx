import { Alert, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconAudit } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useUrlState } from '../../base/url-state.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { DetailsDrawer } from '../../components/details-drawer.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, JsonView, KeyValues, TimeText } from '../../components/values.tsx';
import { AS_LINES, ExportButton, LogFilters, pageIn } from './log-filters.tsx';

type Entry = components['schemas']['AccessLogEntry'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/access_log';

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'Operation', phone: 'title', render: (entry) => entry.operation },
  { title: 'By', phone: 'detail', width: 190, render: (entry) => <Caller entry={entry} /> },
  {
    title: 'Status',
    phone: 'state',
    width: 80,
    align: 'right',
    render: ({ status }) => <span className="numbers">{status}</span>,
  },
  {
    title: 'User',
    phone: 'line',
    width: 150,
    render: ({ user_id: id }) => (id === null ? '–' : <CopyId id={id} path={`users/${id}`} />),
  },
  {
    title: 'Order',
    phone: 'line',
    width: 150,
    render: ({ order_id: id }) => (id === null ? '–' : <CopyId id={id} path={`orders/${id}`} />),
  },
  { title: 'Time', phone: 'aside', width: 180, render: ({ at }) => <TimeText value={at} /> },
];

/** The names of the filters in the API are those in the URL. All are ids or names of operations. */
const FIELDS = [
  { name: 'operation', label: 'Operation', placeholder: 'getResult' },
  { name: 'key_id', label: 'Key or member id', placeholder: 'The id of the caller' },
  { name: 'user_id', label: 'User id', placeholder: 'Who was looked at' },
  { name: 'order_id', label: 'Order id', placeholder: 'What was looked at' },
];

export function AccessLog() {
  const [state] = useUrlState();
  const path = useTeamParams();
  const [opened, setOpened] = useState<Entry>();
  const filter = Object.fromEntries(
    FIELDS.map(({ name }) => [name, state[name] ?? ''] as const).filter(([, value]) => value !== ''),
  );
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <LogFilters fields={FIELDS} />
        <ExportButton
          read={async () => (await client.GET(PATH, { params: { path, query: filter }, ...AS_LINES })).data}
          fileName={`access-log-${path.environment}.ndjson`}
        />
      </Group>
      <LastSeal />
      <CursorTable
        label="Access log"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        queryKey={['get', PATH, path, filter]}
        fetchPage={async (cursor) => {
          const query = { ...filter, limit: 50, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
          const { data } = await client.GET(PATH, { params: { path, query } });
          const page = pageIn(data);
          return { rows: page?.data ?? [], next: page?.next_cursor };
        }}
        onOpen={setOpened}
        selectedKey={opened?.id}
        empty={
          <EmptyState title="No lines" call={`GET ${PATH}`}>
            Every request that read or changed the data of a person is a line here, with the key or member
            that sent it.
          </EmptyState>
        }
      />
      {opened && (
        <DetailsDrawer title={opened.operation} size="lg" onClose={() => setOpened(undefined)}>
          <Details entry={opened} />
        </DetailsDrawer>
      )}
    </Stack>
  );
}

const Caller = ({ entry }: { readonly entry: Entry }) => (
  <Text size="sm" lineClamp={1} title={`${entry.kind} ${entry.key_id}`}>
    {entry.member_name ?? entry.kind.replaceAll('_', ' ')}
  </Text>
);

/** Sections of the access log are sealed by a digest in the audit log every few minutes. */
function LastSeal() {
  const { org_id, team_id, environment } = useTeamParams();
  const seals = api.useQuery('get', '/v1/org/{org_id}/audit_log', {
    params: { path: { org_id }, query: { team_id, action: 'access_log.sealed', limit: 10 } },
  });
  const last = pageIn(seals.data)?.data.find(({ after }) => environmentIn(after) === environment);
  if (!seals.data) return null;
  return (
    <Alert color={last ? 'teal' : 'gray'} icon={<IconAudit size={18} />} py="xs">
      <Text size="sm">
        {last ? (
          <>
            Sealed last <TimeText value={last.created_at} relative /> by line {last.position} of the audit
            log. Lines older than ten minutes are sealed; aliquot audit verify proves that none was changed.
          </>
        ) : (
          'Not sealed yet. Lines are sealed by a digest in the audit log within ten minutes.'
        )}
      </Text>
    </Alert>
  );
}

const environmentIn = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)['environment'] : undefined;

const Details = ({ entry }: { readonly entry: Entry }) => (
  <Stack>
    <KeyValues
      rows={[
        ['Time', <TimeText key="time" value={entry.at} />],
        ['Method', entry.method],
        ['Status', entry.status],
        ['Caller', entry.member_name ?? entry.kind.replaceAll('_', ' ')],
        ['Caller id', <CopyId key="key" id={entry.key_id} />],
        ['User', entry.user_id && <CopyId key="user" id={entry.user_id} path={`users/${entry.user_id}`} />],
        [
          'Order',
          entry.order_id && <CopyId key="order" id={entry.order_id} path={`orders/${entry.order_id}`} />,
        ],
        ['Address', entry.address],
        ['Request', <CopyId key="request" id={entry.request_id} />],
      ]}
    />
    <JsonView value={entry.other_ids} />
  </Stack>
);
