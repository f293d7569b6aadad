import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { CausedBy } from '../../components/caused-by.tsx';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';

type History = components['schemas']['LabTestHistory'];
type Change = History['data'][number];
type Version = History['versions'][number];

const ACTIONS: Readonly<Record<Change['action'], string>> = {
  created: 'Created',
  renamed: 'Renamed',
  retired: 'Retired',
  activated: 'Made active',
  approved: 'Approved by the operator',
};

const CHANGE_COLUMNS: readonly Column<Change>[] = [
  { title: 'Change', phone: 'title', render: ({ action }) => ACTIONS[action] },
  { title: 'Name', phone: 'detail', render: ({ name }) => name },
  { title: 'Status', phone: 'state', width: 140, render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Request',
    phone: 'line',
    render: ({ request_id: id }) => (id === null ? <Text span>–</Text> : <CausedBy requestId={id} />),
  },
  { title: 'Time', phone: 'aside', width: 190, render: ({ at }) => <TimeText value={at} /> },
];

/** What happened to a lab test, and the lab tests that are versions of it. */
export function LabTestHistory({ labTestId }: { readonly labTestId: string }) {
  const history = api.useQuery('get', '/v3/lab_tests/{lab_test_id}/history', {
    params: { path: { lab_test_id: labTestId } },
  });
  return (
    <Loaded query={history} lines={3}>
      {({ data, versions }) => (
        <>
          {versions.length > 1 && <Versions versions={versions} shownId={labTestId} />}
          <Section title="History">
            <DataTable
              label="History"
              columns={CHANGE_COLUMNS}
              rows={data}
              keyOf={({ at, action }) => `${at} ${action}`}
            />
          </Section>
        </>
      )}
    </Loaded>
  );
}

const Versions = ({
  versions,
  shownId,
}: {
  readonly versions: readonly Version[];
  readonly shownId: string;
}) => (
  <Section title="Versions">
    <DataTable
      label="Versions"
      rows={versions}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Lab test',
          phone: 'title',
          render: (version) => <VersionName version={version} shownId={shownId} />,
        },
        {
          title: 'Status',
          phone: 'state',
          width: 140,
          render: ({ status }) => <StatusBadge status={status} />,
        },
        { title: 'Id', phone: 'detail', render: ({ id }) => <CopyId id={id} /> },
        {
          title: 'Created',
          phone: 'aside',
          width: 190,
          render: ({ created_at: at }) => <TimeText value={at} />,
        },
      ]}
    />
  </Section>
);

function VersionName({ version, shownId }: { readonly version: Version; readonly shownId: string }) {
  const pathOf = useTenantPath();
  const { id, name } = version;
  if (id === shownId) return <Text size="sm">{name} (this one)</Text>;
  return (
    <Anchor component={Link} to={pathOf(`catalog/${id}`)} size="sm">
      {name}
    </Anchor>
  );
}
