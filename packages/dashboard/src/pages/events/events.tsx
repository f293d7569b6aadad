import { Anchor, Button, Group, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPause, IconPlay } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useUrlState } from '../../base/url-state.ts';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { prefixesOf, useEventCatalog } from '../../components/event-catalog.ts';
import { EventSubject } from '../../components/event-subject.tsx';
import { PageFrame } from '../../components/page.tsx';
import { EmptyState } from '../../components/states.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';
import { EventDrawer } from './event-drawer.tsx';
import { LiveTail } from './live-tail.tsx';

type LoggedEvent = components['schemas']['LoggedEvent'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/event';
const PAGE_SIZE = 50;

const COLUMNS: readonly Column<LoggedEvent>[] = [
  { title: 'Event', phone: 'title', render: (event) => event.event_type },
  { title: 'About', phone: 'detail', width: 260, render: (event) => <EventSubject body={event.body} /> },
  {
    title: 'Position',
    width: 100,
    align: 'right',
    render: (event) => <span className="numbers">{event.position}</span>,
  },
  { title: 'Time', phone: 'aside', width: 190, render: (event) => <TimeText value={event.created_at} /> },
];

/** Everything that happened in the team, newest first, and live. */
export function Page() {
  const [{ type = '', position, live = '', request_id: requestId = '' }, setState] = useUrlState();
  const path = useTeamParams();
  const queries = useQueryClient();
  const isLive = live === '1';
  const filter = {
    ...(type === '' ? {} : { event_type: type }),
    ...(requestId === '' ? {} : { request_id: requestId }),
  };
  const root = `/v1/org/${path.org_id}/team/${path.team_id}/${path.environment}/event`;
  return (
    <PageFrame
      title="Events"
      description="The event log of this team: what webhooks send, in the order in which it happened."
      calls={[
        {
          method: 'GET',
          path: root,
          query: { before: '0', ...filter, limit: String(PAGE_SIZE) },
        },
        { title: 'Follow events as they happen', method: 'GET', path: '/v1/events/stream' },
      ]}
      actions={
        <Button
          size="xs"
          variant={isLive ? 'filled' : 'default'}
          leftSection={isLive ? <IconPause size={15} /> : <IconPlay size={15} />}
          onClick={() => {
            setState({ live: isLive ? undefined : '1' });
            if (isLive) void queries.invalidateQueries({ queryKey: ['get', PATH] });
          }}
        >
          {isLive ? 'Stop live tail' : 'Live tail'}
        </Button>
      }
    >
      <Stack gap="sm">
        <TypeFilter value={type} onChange={(value) => setState({ type: value })} />
        {requestId !== '' && !isLive && (
          <Group gap="xs">
            <Text size="sm">Only events of request</Text>
            <CopyId id={requestId} />
            <Anchor component="button" size="sm" onClick={() => setState({ request_id: undefined })}>
              Show all
            </Anchor>
          </Group>
        )}
        {isLive ? (
          <LiveTail type={type} onOpen={(at) => setState({ position: String(at) })} />
        ) : (
          <CursorTable
            label="Events"
            columns={COLUMNS}
            keyOf={(event) => event.id}
            queryKey={['get', PATH, path, filter]}
            fetchPage={async (cursor) => {
              const query = { before: Number(cursor ?? 0), limit: PAGE_SIZE, ...filter };
              const { data } = await client.GET(PATH, { params: { path, query } });
              const rows = data?.data ?? [];
              return { rows, next: rows.length < PAGE_SIZE ? null : String(data?.next_cursor) };
            }}
            onOpen={(event) => setState({ position: String(event.position) })}
            selectedKey={undefined}
            moreLabel="Load older events"
            empty={<NoEvents isFiltered={type !== '' || requestId !== ''} />}
          />
        )}
      </Stack>
      {position !== undefined && (
        <EventDrawer position={Number(position)} onClose={() => setState({ position: undefined })} />
      )}
    </PageFrame>
  );
}

interface TypeFilterProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function TypeFilter({ value, onChange }: TypeFilterProps) {
  const events = useEventCatalog().data?.events ?? [];
  return (
    <Group>
      <Select
        aria-label="Event type"
        placeholder="All event types"
        searchable
        clearable
        clearButtonProps={{ 'aria-label': 'Clear the event type' }}
        limit={80}
        w={320}
        value={value === '' ? null : value}
        onChange={(type) => onChange(type ?? '')}
        data={[
          { group: 'Groups', items: [...prefixesOf(events)] },
          { group: 'Types', items: events.map(({ type }) => type) },
        ]}
      />
    </Group>
  );
}

const NoEvents = ({ isFiltered }: { readonly isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No event fits yet">
      Choose another filter, or wait: the list loads again when something happens.
    </EmptyState>
  ) : (
    <EmptyState title="No events yet" call="POST /v2/link/connect/demo">
      Everything that changes, from a new order to a finished result or a night of sleep, is an event. Make an
      order or connect a demo device to see the first ones.
    </EmptyState>
  );
