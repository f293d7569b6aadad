import { Anchor, Stack, Text, Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { api, client } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions, useTenantPath } from '../../base/tenant.ts';
import { CausedBy } from '../../components/caused-by.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { DetailsDrawer } from '../../components/details-drawer.tsx';
import { ErrorNotice, Loaded } from '../../components/states.tsx';
import { CopyId, JsonView, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';

const ROOT = '/v1/org/{org_id}/team/{team_id}/{environment}';
/** Endpoints that are asked what they were sent. */
const ENDPOINTS = 10;

interface EventDrawerProps {
  readonly position: number;
  readonly onClose: () => void;
}

/** One event with its body and where it was sent. */
export function EventDrawer({ position, onClose }: EventDrawerProps) {
  const path = useTeamParams();
  const may = usePermissions();
  const query = { after: position - 1, limit: 1 };
  const event = api.useQuery('get', `${ROOT}/event`, { params: { path, query } });
  return (
    <DetailsDrawer title="Event" onClose={onClose}>
      <Loaded query={event} lines={10}>
        {({ data: [found] }) =>
          found?.position === position ? (
            <Stack>
              <KeyValues
                rows={[
                  ['Type', found.event_type],
                  ['Id', <CopyId key="id" id={found.id} />],
                  ['Position', found.position],
                  ['Time', <TimeText key="time" value={found.created_at} />],
                  ['Caused by', <CausedBy key="cause" requestId={found.request_id} />],
                ]}
              />
              {may('delivery:read') && <Deliveries messageId={`msg_${found.id}`} />}
              <Title order={2}>Body</Title>
              <JsonView value={found.body} />
            </Stack>
          ) : (
            <Text size="sm">
              This event is gone: its user was deleted, or it is older than the log keeps events.
            </Text>
          )
        }
      </Loaded>
    </DetailsDrawer>
  );
}

function Deliveries({ messageId }: { readonly messageId: string }) {
  const pathOf = useTenantPath();
  const path = useTeamParams();
  const endpoints = api.useQuery('get', `${ROOT}/webhook`, {
    params: { path, query: { limit: ENDPOINTS } },
  });
  const attempts = useQueries({
    queries: (endpoints.data?.data ?? []).map(({ id, url }) => ({
      queryKey: ['get', `${ROOT}/webhook/{webhook_id}/attempt`, path, id, messageId],
      queryFn: async () => {
        const { data } = await client.GET(`${ROOT}/webhook/{webhook_id}/attempt`, {
          params: { path: { ...path, webhook_id: id }, query: { message_id: messageId, limit: 5 } },
        });
        return (data?.data ?? []).map((attempt) => ({ ...attempt, endpointId: id, url }));
      },
    })),
  });
  const failed = attempts.find(({ error }) => error)?.error;
  if (failed) return <ErrorNotice error={failed} />;
  return (
    <Stack gap="xs">
      <Title order={2}>Deliveries</Title>
      <DataTable
        label="Deliveries"
        rows={attempts.flatMap(({ data }) => data ?? [])}
        keyOf={({ id }) => id}
        columns={[
          {
            title: 'Endpoint',
            render: ({ endpointId, url }) => (
              <Stack gap={0}>
                <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                  {url}
                </Text>
                <CopyId id={endpointId} path={`webhooks/${endpointId}`} />
              </Stack>
            ),
          },
          {
            title: 'Outcome',
            render: ({ endpointId, id, status }) => (
              <Anchor
                component={Link}
                to={pathOf(`webhooks/${endpointId}`)}
                search={{ message: messageId, attempt: id } as never}
                aria-label={`Attempt: ${status}`}
              >
                <StatusBadge status={status} />
              </Anchor>
            ),
          },
          { title: 'Answer', render: ({ status_code, error }) => status_code ?? error ?? '–' },
          { title: 'Time', render: ({ at }) => <TimeText value={at} relative /> },
        ]}
        empty={
          <Text size="sm" c="dimmed">
            No endpoint was sent this event.
          </Text>
        }
      />
    </Stack>
  );
}
