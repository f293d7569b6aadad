import { Button, SegmentedControl, Stack, Text } from '@mantine/core';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePathParameter, usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { confirm } from '../../components/confirm.tsx';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { LabName } from '../../components/lab-name.tsx';
import { PageFrame, Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { MessageDrawer } from './message-drawer.tsx';
import { SimulateMessage } from './simulate-message.tsx';

type Connection = components['schemas']['LabConnection'];
type Message = components['schemas']['LabMessage'];

const LIST = '/v1/org/{org_id}/team/{team_id}/{environment}/lab_connection';
const PATH = `${LIST}/{lab_connection_id}` as const;
const STATUSES = ['dead', 'refused', 'queued', 'stored', 'taken', 'accepted'] as const;
const DIRECTIONS = ['in', 'out'] as const;

export function Page() {
  const id = usePathParameter('connectionId');
  const path = { ...useTeamParams(), lab_connection_id: id };
  const may = usePermissions();
  const connection = api.useQuery('get', PATH, { params: { path } });
  const root = `/v1/org/${path.org_id}/team/${path.team_id}/${path.environment}/lab_connection/${id}`;
  return (
    <PageFrame
      title={connection.data?.name ?? 'Connection'}
      parents={[{ title: 'Laboratories', path: 'laboratories' }]}
      beside={
        <>
          {connection.data && <StatusBadge status={connection.data.enabled ? 'active' : 'disabled'} />}
          <CopyId id={id} />
        </>
      }
      actions={
        connection.data && (
          <>
            <SimulateMessage connections={[connection.data]} />
            <Toggle connection={connection.data} />
          </>
        )
      }
      calls={[
        { method: 'GET', path: root },
        { method: 'GET', path: `${root}/message`, query: { status: 'dead' } },
        {
          title: 'Simulate a message (sandbox)',
          method: 'POST',
          path: `${root}/simulated_message`,
          body: { order_id: 'ORDER_ID', interpretation: 'normal' },
        },
      ]}
    >
      <Loaded query={connection}>
        {(data) => (
          <Section title="Settings">
            <KeyValues rows={rowsOf(data)} />
          </Section>
        )}
      </Loaded>
      {may('lab-messages:read') && <Messages connectionId={id} />}
      <Section title="Try it">
        <Text size="sm">
          A simulated laboratory takes orders and answers with results. Run npx aliquot lab simulate where the
          service runs; it prints what to enter here. A connection that receives by https also takes messages
          by POST /v1/inbound/laboratory/message with its token.
        </Text>
      </Section>
    </PageFrame>
  );
}

const rowsOf = (data: Connection) =>
  [
    ['Laboratory', <LabName key="lab" slug={data.lab} />],
    ['Results arrive by', data.inbound],
    ['Orders leave by', data.outbound],
    ['Address', data.host === null ? null : `${data.host}:${data.port ?? ''}`],
    ['Listens on port', data.listener_port === null ? null : String(data.listener_port)],
    ['TLS', data.uses_tls ? 'Yes' : 'No'],
    ['Order message', data.order_message],
    ['Character set', data.character_set],
    ['Laboratory (MSH-3, MSH-4)', `${data.lab_application} · ${data.lab_facility}`],
    ['We (MSH-5, MSH-6)', `${data.our_application} · ${data.our_facility}`],
    ['Time zone', data.time_zone],
    ['Token', data.has_token ? 'Set' : 'None'],
    ['Changed', <TimeText key="changed" value={data.updated_at} />],
  ] as const;

function Toggle({ connection }: { readonly connection: Connection }) {
  const may = usePermissions();
  const path = { ...useTeamParams(), lab_connection_id: connection.id };
  const { isBusy, run } = useAction([PATH, LIST]);
  const set = (enabled: boolean) =>
    run(
      () => client.PATCH(PATH, { params: { path }, body: { enabled } }),
      enabled ? 'Connection enabled' : 'Connection disabled',
    );
  if (!may('egress:write') || connection.deleted_at !== null) return null;
  return (
    <Button
      size="xs"
      variant="default"
      loading={isBusy}
      onClick={() =>
        connection.enabled
          ? confirm({
              title: 'Disable this connection?',
              text: 'Orders wait, and messages of the laboratory are refused until it is enabled again.',
              action: 'Disable',
              isDangerous: true,
              run: () => set(false),
            })
          : void set(true)
      }
    >
      {connection.enabled ? 'Disable' : 'Enable'}
    </Button>
  );
}

const COLUMNS: readonly Column<Message>[] = [
  { title: 'Message', phone: 'title', render: ({ message_type: type, format }) => `${type} (${format})` },
  {
    title: 'Direction',
    phone: 'detail',
    width: 110,
    render: ({ direction }) => (direction === 'in' ? 'Received' : 'Sent'),
  },
  { title: 'Status', phone: 'state', width: 110, render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Reason',
    phone: 'line',
    width: 280,
    render: ({ reason }) => (
      <Text size="sm" lineClamp={2}>
        {reason ?? '–'}
      </Text>
    ),
  },
  {
    title: 'Order',
    phone: 'line',
    width: 150,
    render: ({ order_id: order }) => (order === null ? '–' : <CopyId id={order} path={`orders/${order}`} />),
  },
  { title: 'Time', phone: 'aside', width: 180, render: ({ created_at: at }) => <TimeText value={at} /> },
];

function Messages({ connectionId }: { readonly connectionId: string }) {
  const [{ status = '', direction = '', message }, setState] = useUrlState();
  const path = { ...useTeamParams(), lab_connection_id: connectionId };
  const chosen = {
    status: STATUSES.find((one) => one === status) ?? null,
    direction: DIRECTIONS.find((one) => one === direction) ?? null,
  };
  return (
    <Section
      title="Messages"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Direction"
          value={direction}
          onChange={(value) => setState({ direction: value })}
          data={[
            { value: '', label: 'Both' },
            { value: 'in', label: 'Received' },
            { value: 'out', label: 'Sent' },
          ]}
        />
      }
    >
      <Stack gap="sm">
        <div style={{ overflowX: 'auto' }}>
          <SegmentedControl
            size="xs"
            aria-label="Status"
            value={status}
            onChange={(value) => setState({ status: value })}
            data={[
              { value: '', label: 'All' },
              { value: 'dead', label: 'Dead letters' },
              ...STATUSES.slice(1).map((value) => ({ value, label: value })),
            ]}
          />
        </div>
        <CursorTable
          label="Messages"
          columns={COLUMNS}
          keyOf={({ id }) => id}
          queryKey={['get', `${PATH}/message`, path, chosen]}
          fetchPage={async (cursor) => {
            const { data } = await client.GET(`${PATH}/message`, {
              params: {
                path,
                query: { limit: 50, ...known(chosen), ...(cursor && { next_cursor: cursor }) },
              },
            });
            return { rows: data?.data ?? [], next: data?.next_cursor };
          }}
          onOpen={({ id }) => setState({ message: id })}
          selectedKey={message}
          empty={
            <EmptyState title="No messages">
              What the laboratory sent and what it was sent, with the reason where a message could not be
              used.
            </EmptyState>
          }
        />
      </Stack>
      {message !== undefined && (
        <MessageDrawer
          connectionId={connectionId}
          messageId={message}
          onClose={() => setState({ message: undefined })}
        />
      )}
    </Section>
  );
}

const known = (filter: {
  readonly status: (typeof STATUSES)[number] | null;
  readonly direction: (typeof DIRECTIONS)[number] | null;
}) => ({
  ...(filter.status === null ? {} : { status: filter.status }),
  ...(filter.direction === null ? {} : { direction: filter.direction }),
});
