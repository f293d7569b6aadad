import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { DataTable } from '../../components/data-table.tsx';
import { EventLink } from '../../components/event-link.tsx';
import { EventSubject } from '../../components/event-subject.tsx';
import { Loaded } from '../../components/states.tsx';
import { TimeText } from '../../components/values.tsx';

const SHOWN = 20;

/** The events that a request caused, in their order. */
export function RequestEvents({ requestId }: { readonly requestId: string }) {
  const path = useTeamParams();
  const pathOf = useTenantPath();
  const events = api.useQuery('get', '/v1/org/{org_id}/team/{team_id}/{environment}/event', {
    params: { path, query: { request_id: requestId, limit: SHOWN } },
  });
  return (
    <Stack gap="xs">
      <Title order={2}>Events</Title>
      <Loaded query={events} lines={2}>
        {({ data }) => (
          <>
            <DataTable
              label="Events of this request"
              rows={data}
              keyOf={({ id }) => id}
              columns={[
                {
                  title: 'Event',
                  render: ({ event_type: type, position }) => <EventLink type={type} position={position} />,
                },
                { title: 'About', render: ({ body }) => <EventSubject body={body} /> },
                { title: 'Time', render: ({ created_at: at }) => <TimeText value={at} relative /> },
              ]}
              empty={
                <Text size="sm" c="dimmed">
                  This request caused no event.
                </Text>
              }
            />
            {data.length === SHOWN && (
              <Anchor
                component={Link}
                to={pathOf('events')}
                search={{ request_id: requestId } as never}
                size="sm"
              >
                All events of this request
              </Anchor>
            )}
          </>
        )}
      </Loaded>
    </Stack>
  );
}
