import { Anchor, SegmentedControl, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { LabName } from '../../components/lab-name.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { SimulateMessage } from './simulate-message.tsx';

type Connection = components['schemas']['LabConnection'];
type Health = components['schemas']['LabConnectionHealth'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/lab_connection';
const HEALTH = '/v1/org/{org_id}/team/{team_id}/{environment}/lab_connection_health';
/** The API counts exactly up to this number. */
const COUNT_MAX = 1000;

/** The connections by which orders go to laboratories and results come back. */
export function Page() {
  const path = useTeamParams();
  const [{ deleted = '' }, setState] = useUrlState();
  const query = deleted === 'true' ? { deleted: 'true' as const } : {};
  const connections = api.useQuery('get', PATH, { params: { path, query } });
  const health = api.useQuery('get', HEALTH, { params: { path } });
  const healthOf = new Map(health.data?.data.map((one) => [one.lab_connection_id, one]));
  const root = `/v1/org/${path.org_id}/team/${path.team_id}/${path.environment}`;
  return (
    <PageFrame
      title="Laboratories"
      description="Connections to laboratories by HL7 v2 and FHIR, and every message on them."
      actions={connections.data && <SimulateMessage connections={connections.data.data} />}
      calls={[
        { method: 'GET', path: `${root}/lab_connection` },
        { method: 'GET', path: `${root}/lab_connection_health` },
      ]}
    >
      <SegmentedControl
        size="xs"
        w="fit-content"
        aria-label="Connections"
        value={deleted}
        onChange={(value) => setState({ deleted: value })}
        data={[
          { value: '', label: 'Connected' },
          { value: 'true', label: 'Deleted' },
        ]}
      />
      <Loaded query={connections}>
        {({ data }) => (
          <DataTable
            label="Lab connections"
            rows={data}
            keyOf={({ id }) => id}
            columns={columnsOf(healthOf)}
            empty={
              <EmptyState title="No connections" call={`POST ${PATH}`}>
                A connection exchanges orders and results with a laboratory. Without one, sandbox orders are
                simulated. Run npx aliquot lab simulate to connect a laboratory that answers at once.
              </EmptyState>
            }
          />
        )}
      </Loaded>
    </PageFrame>
  );
}

const columnsOf = (health: ReadonlyMap<string, Health>): readonly Column<Connection>[] => [
  { title: 'Connection', phone: 'title', render: (connection) => <Name connection={connection} /> },
  {
    title: 'State',
    phone: 'state',
    width: 110,
    render: ({ id, deleted_at: deletedAt }) => (
      <StatusBadge status={deletedAt === null ? (health.get(id)?.state ?? 'loading') : 'deleted'} />
    ),
  },
  { title: 'Results by', width: 90, isWideOnly: true, render: ({ inbound }) => inbound },
  {
    title: 'Last received',
    phone: 'line',
    width: 120,
    render: ({ id }) => <Time value={health.get(id)?.last_in_at} />,
  },
  { title: 'Orders by', width: 90, isWideOnly: true, render: ({ outbound }) => outbound },
  {
    title: 'Last sent',
    phone: 'line',
    width: 120,
    render: ({ id }) => <Time value={health.get(id)?.last_out_at} />,
  },
  {
    title: 'Errors, 24 hours',
    width: 120,
    isWideOnly: true,
    render: ({ id }) => <Count value={health.get(id)?.errors_last_day} />,
  },
  {
    title: 'Dead letters',
    phone: 'line',
    width: 110,
    render: ({ id }) => <Count value={health.get(id)?.dead} />,
  },
  { title: 'Waiting', phone: 'line', width: 90, render: ({ id }) => <Waiting health={health.get(id)} /> },
  {
    title: 'Certificate ends',
    width: 130,
    isWideOnly: true,
    render: ({ id }) => <Time value={health.get(id)?.certificate_ends_at} />,
  },
  {
    title: 'Id',
    width: 120,
    isWideOnly: true,
    render: ({ id }) => <CopyId id={id} path={`laboratories/${id}`} />,
  },
];

function Name({ connection: { id, name, lab } }: { readonly connection: Connection }) {
  const pathOf = useTenantPath();
  return (
    <Stack gap={0}>
      <Anchor component={Link} to={pathOf(`laboratories/${id}`)} c="inherit" fw={500}>
        {name}
      </Anchor>
      <Text size="xs" c="dimmed">
        <LabName slug={lab} />
      </Text>
    </Stack>
  );
}

const Count = ({ value }: { readonly value: number | undefined }) => (
  <Text size="sm" className="numbers" c={value ? 'inherit' : 'dimmed'}>
    {value === undefined ? '–' : value >= COUNT_MAX ? `${COUNT_MAX.toLocaleString()} or more` : value}
  </Text>
);

const Time = ({ value }: { readonly value: string | null | undefined }) =>
  value ? <TimeText value={value} relative /> : <Text c="dimmed">–</Text>;

function Waiting({ health }: { readonly health: Health | undefined }) {
  return (
    <Stack gap={0}>
      <Count value={health?.waiting} />
      {health?.oldest_waiting_at && (
        <Text size="xs" c="dimmed" component="div">
          oldest <TimeText value={health.oldest_waiting_at} relative />
        </Text>
      )}
    </Stack>
  );
}
