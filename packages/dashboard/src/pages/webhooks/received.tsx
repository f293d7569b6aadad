import { Anchor, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconRefresh, IconSend } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions, useTenantPath } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { CreateInbox } from './create-inbox.tsx';
import { ReceivedDrawer } from './received-drawer.tsx';
import { toSandbox } from './sandbox.ts';
import { SignatureBadge } from './signature-badge.tsx';
import { TestForm } from './test-form.tsx';

type Inbox = components['schemas']['WebhookInbox'];
type Received = components['schemas']['ReceivedWebhook'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook_inbox';
const LIST = `${PATH}/request`;
/** A message is on its way for a moment, and no event says that it arrived. */
const ARRIVAL_MS = 1200;

/** The inbox of the sandbox: what arrived in it, and how it answers. */
export function Received() {
  const path = toSandbox(useTeamParams());
  const inbox = useQuery({
    queryKey: ['get', PATH, path],
    queryFn: async () => {
      try {
        return { inbox: (await client.GET(PATH, { params: { path } })).data };
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return { inbox: undefined };
        throw error;
      }
    },
  });
  return (
    <Loaded query={inbox} lines={8}>
      {({ inbox: found }) =>
        found ? (
          <Stack gap="lg">
            <InboxSettings inbox={found} />
            <Requests endpointId={found.webhook.id} />
          </Stack>
        ) : (
          <EmptyState title="No inbox yet" call={`POST ${PATH}`} action={<CreateInbox />}>
            An inbox is an endpoint of this sandbox that the service itself receives. Its messages are signed,
            sent and retried like those to your own service, so you see what yours will get before it exists.
          </EmptyState>
        )
      }
    </Loaded>
  );
}

const useReload = () => {
  const queries = useQueryClient();
  return () => void queries.invalidateQueries({ queryKey: ['get', LIST] });
};

function InboxSettings({ inbox }: { readonly inbox: Inbox }) {
  const may = usePermissions();
  const pathOf = useTenantPath();
  const reload = useReload();
  const [isTesting, setTesting] = useState(false);
  return (
    <Section
      title="Inbox"
      actions={
        <Group gap="xs">
          <Button size="xs" variant="default" leftSection={<IconRefresh size={15} />} onClick={reload}>
            Refresh
          </Button>
          {may('delivery:retry') && !inbox.webhook.disabled && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconSend size={15} />}
              onClick={() => setTesting(true)}
            >
              Send test event
            </Button>
          )}
        </Group>
      }
    >
      <Stack gap="sm">
        <CodeBlock text={inbox.webhook.url} />
        <Group gap="sm">
          <AnswerControl inbox={inbox} />
          {inbox.webhook.disabled && <StatusBadge status="disabled" />}
          <Anchor component={Link} to={pathOf(`webhooks/${inbox.webhook.id}`)} size="sm">
            Endpoint and its delivery log
          </Anchor>
        </Group>
        <Text size="xs" c="dimmed">
          {inbox.answer === 'success'
            ? 'Choose another answer to see how messages are retried.'
            : 'Messages are retried after 5 seconds, 5 minutes, 30 minutes and so on. Moving the sandbox clock runs the retries.'}
        </Text>
      </Stack>
      {isTesting && (
        <TestForm
          endpoint={inbox.webhook}
          onClose={() => setTesting(false)}
          onSent={() => setTimeout(reload, ARRIVAL_MS)}
        />
      )}
    </Section>
  );
}

function AnswerControl({ inbox }: { readonly inbox: Inbox }) {
  const path = toSandbox(useTeamParams());
  const may = usePermissions();
  const queries = useQueryClient();
  const change = useMutation({
    mutationFn: (answer: Inbox['answer']) => client.PATCH(PATH, { params: { path }, body: { answer } }),
    onSuccess: async (_, answer) => {
      await queries.invalidateQueries({ queryKey: ['get', PATH] });
      tellDone(`The inbox now ${EFFECTS[answer]}`);
    },
    onError: tellError,
  });
  return (
    <SegmentedControl
      size="xs"
      aria-label="Answer of the inbox"
      disabled={!may('egress:write')}
      value={change.isPending ? change.variables : inbox.answer}
      onChange={(value) => change.mutate(value)}
      data={[
        { value: 'success', label: 'Answer 200' },
        { value: 'failure', label: 'Answer 500' },
        { value: 'timeout', label: 'Time out' },
      ]}
    />
  );
}

const EFFECTS: Readonly<Record<Inbox['answer'], string>> = {
  success: 'answers 200',
  failure: 'answers 500',
  timeout: 'does not answer',
};

const ANSWERS: Readonly<Record<Inbox['answer'], string>> = {
  success: '200',
  failure: '500',
  timeout: 'None',
};

const COLUMNS: readonly Column<Received>[] = [
  {
    title: 'Event',
    phone: 'title',
    render: ({ event_type: type }) => <Text size="sm">{type ?? 'No event'}</Text>,
  },
  {
    title: 'Signature',
    phone: 'state',
    width: 110,
    render: ({ verification }) => <SignatureBadge verification={verification} />,
  },
  { title: 'Answer', phone: 'detail', width: 80, render: ({ answer }) => ANSWERS[answer] },
  {
    title: 'Size',
    width: 100,
    align: 'right',
    render: ({ size_bytes: bytes }) => <span className="numbers">{bytes.toLocaleString()} B</span>,
  },
  {
    title: 'Message',
    width: 160,
    render: ({ message_id: id }) => (id === null ? <Text span>–</Text> : <CopyId id={id} />),
  },
  { title: 'Received', phone: 'aside', width: 180, render: (one) => <TimeText value={one.received_at} /> },
];

function Requests({ endpointId }: { readonly endpointId: string }) {
  const path = toSandbox(useTeamParams());
  const [{ received }, setState] = useUrlState();
  return (
    <Section title="Received requests">
      <CursorTable
        label="Received requests"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        queryKey={['get', LIST, path]}
        fetchPage={async (cursor) => {
          const query = { limit: 50, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
          const { data } = await client.GET(LIST, { params: { path, query } });
          return { rows: data?.data ?? [], next: data?.next_cursor };
        }}
        onOpen={({ id }) => setState({ received: id })}
        selectedKey={received}
        empty={
          <EmptyState title="Nothing has arrived yet" call="POST …/webhook/{webhook_id}/test">
            Make a user or an order, or send a test event. The newest 100 requests are kept for seven days.
          </EmptyState>
        }
      />
      {received !== undefined && (
        <ReceivedDrawer
          id={received}
          endpointId={endpointId}
          onClose={() => setState({ received: undefined })}
        />
      )}
    </Section>
  );
}
