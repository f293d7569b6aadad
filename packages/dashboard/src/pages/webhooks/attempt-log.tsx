import { Anchor, Group, SegmentedControl, Text } from '@mantine/core';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useUrlState } from '../../base/url-state.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { AttemptDrawer } from './attempt-drawer.tsx';

type Attempt = components['schemas']['WebhookAttempt'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/attempt';

const COLUMNS: readonly Column<Attempt>[] = [
  { title: 'Event', phone: 'title', render: (attempt) => <Text size="sm">{attempt.event_type}</Text> },
  { title: 'Outcome', phone: 'state', width: 110, render: ({ status }) => <StatusBadge status={status} /> },
  {
    title: 'Answer',
    phone: 'detail',
    render: ({ status_code, error }) => (
      <Text size="sm" lineClamp={1} title={error ?? undefined}>
        {status_code ?? error ?? '–'}
      </Text>
    ),
  },
  { title: 'Attempt', width: 80, align: 'right', render: ({ attempt }) => attempt },
  {
    title: 'Duration',
    width: 100,
    isWideOnly: true,
    align: 'right',
    render: ({ duration_ms }) => <span className="numbers">{duration_ms.toLocaleString()} ms</span>,
  },
  { title: 'Message', width: 150, isWideOnly: true, render: ({ message_id }) => <CopyId id={message_id} /> },
  { title: 'Time', phone: 'aside', width: 180, render: ({ at }) => <TimeText value={at} /> },
];

const OUTCOMES = ['success', 'failure'] as const;

/** Every attempt to send a message to the endpoint, newest first. */
export function AttemptLog({ endpointId }: { readonly endpointId: string }) {
  const [{ outcome = '', message = '', attempt }, setState] = useUrlState();
  const path = { ...useTeamParams(), webhook_id: endpointId };
  const status = OUTCOMES.find((known) => known === outcome);
  const filter = {
    ...(status === undefined ? {} : { status }),
    ...(message === '' ? {} : { message_id: message }),
  };
  return (
    <Section
      title="Delivery log"
      actions={
        <SegmentedControl
          size="xs"
          aria-label="Outcome"
          value={outcome}
          onChange={(value) => setState({ outcome: value })}
          data={[
            { value: '', label: 'All' },
            { value: 'success', label: 'Delivered' },
            { value: 'failure', label: 'Failed' },
          ]}
        />
      }
    >
      {message !== '' && (
        <Group gap="xs" mb="sm">
          <Text size="sm">Only message</Text>
          <CopyId id={message} />
          <Anchor component="button" size="sm" onClick={() => setState({ message: undefined })}>
            Show all
          </Anchor>
        </Group>
      )}
      <CursorTable
        label="Delivery attempts"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        queryKey={['get', PATH, path, filter]}
        fetchPage={async (cursor) => {
          const query = { limit: 50, ...filter, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
          const { data } = await client.GET(PATH, { params: { path, query } });
          return { rows: data?.data ?? [], next: data?.next_cursor };
        }}
        onOpen={({ id }) => setState({ attempt: id })}
        selectedKey={attempt}
        empty={
          <EmptyState title="No attempts" call="POST …/webhook/{webhook_id}/test">
            Nothing was sent to this endpoint that fits these filters. Send a test event to see one here.
          </EmptyState>
        }
      />
      {attempt !== undefined && (
        <AttemptDrawer
          endpointId={endpointId}
          attemptId={attempt}
          onClose={() => setState({ attempt: undefined })}
        />
      )}
    </Section>
  );
}
