import { Alert, Badge, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconAudit } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useUrlState } from '../../base/url-state.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { DetailsDrawer } from '../../components/details-drawer.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, JsonView, KeyValues, TimeText } from '../../components/values.tsx';
import { checkChain, type ChainCheck } from './chain.ts';
import { AS_LINES, ExportButton, LogFilters, pageIn } from './log-filters.tsx';

type Entry = components['schemas']['AuditLogEntry'];

const PATH = '/v1/org/{org_id}/audit_log';

const COLUMNS: readonly Column<Entry>[] = [
  { title: 'Action', phone: 'title', render: (entry) => entry.action },
  { title: 'By', phone: 'detail', width: 220, render: (entry) => <Actor entry={entry} /> },
  {
    title: 'On',
    phone: 'line',
    width: 220,
    render: ({ subject }) =>
      UUID.test(subject) ? (
        <CopyId id={subject} />
      ) : (
        <Text size="sm" lineClamp={1} title={subject}>
          {subject}
        </Text>
      ),
  },
  {
    title: 'Line',
    phone: 'state',
    width: 80,
    align: 'right',
    render: ({ position }) => <span className="numbers">{position}</span>,
  },
  { title: 'Time', phone: 'aside', width: 190, render: (entry) => <TimeText value={entry.created_at} /> },
];

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const FIELDS = [
  { name: 'action', label: 'Action', placeholder: 'team_key.create' },
  { name: 'actor', label: 'By', placeholder: 'member: or a key id' },
  { name: 'subject', label: 'On', placeholder: 'The id of an object' },
];

export function AuditLog() {
  const [state, setState] = useUrlState();
  const { org_id } = useTeamParams();
  const [check, setCheck] = useState<ChainCheck>();
  const [opened, setOpened] = useState<Entry>();
  const filter = Object.fromEntries(
    FIELDS.map(({ name }) => [name, state[name] ?? ''] as const).filter(([, value]) => value !== ''),
  );
  const close = () => {
    setOpened(undefined);
    setState({ line: undefined });
  };
  return (
    <Stack gap="sm">
      <Group justify="space-between" align="flex-end">
        <LogFilters fields={FIELDS} />
        <ExportButton
          read={async () =>
            (await client.GET(PATH, { params: { path: { org_id }, query: filter }, ...AS_LINES })).data
          }
          fileName="audit-log.ndjson"
        />
      </Group>
      {check && <ChainNotice check={check} />}
      <CursorTable
        label="Audit log"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        queryKey={['get', PATH, org_id, filter]}
        fetchPage={async (cursor) => {
          const query = { ...filter, limit: 50, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
          const { data } = await client.GET(PATH, { params: { path: { org_id }, query } });
          const page = pageIn(data);
          const rows = page?.data ?? [];
          setCheck((before) => checkChain(rows, cursor === undefined ? undefined : before));
          return { rows, next: page?.next_cursor };
        }}
        onOpen={(entry) => {
          setOpened(entry);
          setState({ line: String(entry.position) });
        }}
        selectedKey={opened?.id}
        empty={
          <EmptyState title="No lines" call="GET /v1/org/{org_id}/audit_log">
            Every change by a member or a management key is a line here: who, what, when, before and after.
          </EmptyState>
        }
      />
      {opened && <EntryDrawer entry={opened} onClose={close} />}
    </Stack>
  );
}

const Actor = ({ entry }: { readonly entry: Entry }) => (
  <Text size="sm" lineClamp={1} title={entry.actor}>
    {entry.actor_name ?? entry.actor}
  </Text>
);

/** What this page can prove by itself: that the lines it has are linked. The rest is `aliquot audit verify`. */
const ChainNotice = ({ check }: { readonly check: ChainCheck }) =>
  check.broken === undefined ? (
    <Alert color="teal" icon={<IconAudit size={18} />} py="xs">
      <Text size="sm">
        {check.links === 0
          ? 'Lines that follow each other are linked by their digests. With these filters none do.'
          : `${check.links} links between the loaded lines are intact.`}{' '}
        Run aliquot audit verify to recompute every digest.
      </Text>
    </Alert>
  ) : (
    <Alert color="red" icon={<IconAudit size={18} />} title="The chain is broken" role="alert">
      Line {check.broken} does not follow from the line before it. Run aliquot audit verify and tell the
      operator.
    </Alert>
  );

const EntryDrawer = ({ entry, onClose }: { readonly entry: Entry; readonly onClose: () => void }) => (
  <DetailsDrawer title={`Line ${entry.position}`} size="lg" onClose={onClose}>
    <Stack>
      <KeyValues
        rows={[
          [
            'Action',
            <Badge key="action" variant="light" tt="none" radius="sm">
              {entry.action}
            </Badge>,
          ],
          ['By', entry.actor_name ?? entry.actor],
          ['Actor', <CopyId key="actor" id={entry.actor} />],
          ['On', <CopyId key="subject" id={entry.subject} />],
          ['Time', <TimeText key="time" value={entry.created_at} />],
          ['Address', entry.address],
          ['Request', entry.request_id === null ? null : <CopyId key="request" id={entry.request_id} />],
          ['Digest', <CopyId key="digest" id={entry.digest} />],
          ['Previous', <CopyId key="previous" id={entry.previous} />],
        ]}
      />
      <Title order={2}>Before</Title>
      <JsonView value={entry.before ?? null} />
      <Title order={2}>After</Title>
      <JsonView value={entry.after ?? null} />
    </Stack>
  </DetailsDrawer>
);
