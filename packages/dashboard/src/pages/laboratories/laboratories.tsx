import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions, useTenantPath } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';

type Connection = components['schemas']['LabConnection'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/lab_connection';
/** Connections whose dead letters are counted; each is a request. */
const COUNTED = 20;

/** The connections by which orders go to laboratories and results come back. */
export function Page() {
  const path = useTeamParams();
  const [{ deleted = '' }, setState] = useUrlState();
  const query = deleted === 'true' ? { deleted: 'true' as const } : {};
  const connections = api.useQuery('get', PATH, { params: { path, query } });
  const dead = useDeadLetters(connections.data?.data ?? []);
  return (
    <PageFrame
      title="Laboratories"
      description="Connections to laboratories by HL7 v2 and FHIR, and every message on them."
      calls={[
        {
          method: 'GET',
          path: `/v1/org/${path.org_id}/team/${path.team_id}/${path.environment}/lab_connection`,
        },
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
            columns={columnsOf(dead)}
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

/** Whether the newest messages of a connection have dead letters. */
function useDeadLetters(connections: readonly Connection[]): ReadonlyMap<string, number | undefined> {
  const path = useTeamParams();
  const may = usePermissions();
  const counted = connections.slice(0, may('lab-messages:read') ? COUNTED : 0);
  const answers = useQueries({
    queries: counted.map(({ id }) => ({
      queryKey: ['get', `${PATH}/{lab_connection_id}/message`, path, id, 'dead'],
      queryFn: async () => {
        const at = { ...path, lab_connection_id: id };
        const { data } = await client.GET(`${PATH}/{lab_connection_id}/message`, {
          params: { path: at, query: { status: 'dead', limit: 50 } },
        });
        return data?.data.length ?? 0;
      },
    })),
  });
  return new Map(counted.map(({ id }, index) => [id, answers[index]?.data]));
}

const columnsOf = (dead: ReadonlyMap<string, number | undefined>): readonly Column<Connection>[] => [
  { title: 'Connection', render: (connection) => <Name connection={connection} /> },
  { title: 'State', width: 110, render: (connection) => <ConnectionState connection={connection} /> },
  { title: 'Results by', width: 100, render: ({ inbound }) => inbound },
  { title: 'Orders by', width: 100, render: ({ outbound }) => outbound },
  { title: 'Dead letters', width: 130, render: ({ id }) => <DeadLetters count={dead.get(id)} /> },
  { title: 'Id', width: 140, render: ({ id }) => <CopyId id={id} path={`laboratories/${id}`} /> },
  { title: 'Changed', width: 170, render: ({ updated_at: at }) => <TimeText value={at} /> },
];

function Name({ connection: { id, name, lab } }: { readonly connection: Connection }) {
  const pathOf = useTenantPath();
  return (
    <Stack gap={0}>
      <Anchor component={Link} to={pathOf(`laboratories/${id}`)} c="inherit" fw={500}>
        {name}
      </Anchor>
      <Text size="xs" c="dimmed">
        {lab}
      </Text>
    </Stack>
  );
}

const ConnectionState = ({ connection }: { readonly connection: Connection }) => (
  <StatusBadge
    status={connection.deleted_at === null ? (connection.enabled ? 'active' : 'disabled') : 'deleted'}
  />
);

const DeadLetters = ({ count }: { readonly count: number | undefined }) =>
  count === undefined ? (
    <Text span>–</Text>
  ) : (
    <Group gap={6}>
      <Text size="sm" className="numbers">
        {count >= 50 ? '50 or more' : count}
      </Text>
      {count > 0 && <StatusBadge status="problem" />}
    </Group>
  );
