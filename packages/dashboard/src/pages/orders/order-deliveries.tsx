import { Button, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { usePermissions, useTenant } from '../../base/tenant.ts';
import { DataTable } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { findEventsOf, type OrderEvent } from './find-events.ts';
import type { Order } from './order-data.ts';

/** The events that the order caused, with the webhooks that told them. Read on demand: the log has no index by order. */
export function DeliveriesSection({ order }: { readonly order: Order }) {
  const may = usePermissions();
  const [isAsked, setAsked] = useState(false);
  if (!may('messages:read')) return null;
  return (
    <Section title="Events and webhooks">
      {isAsked ? (
        <Deliveries order={order} />
      ) : (
        <Stack gap="xs" align="flex-start">
          <Text size="sm" c="dimmed">
            What was told about this order, and whether your endpoints took it.
          </Text>
          <Button size="xs" variant="default" onClick={() => setAsked(true)}>
            Show events and webhooks
          </Button>
        </Stack>
      )}
    </Section>
  );
}

interface Row extends OrderEvent {
  readonly attempts: readonly {
    id: string;
    endpoint: string;
    status: string;
    code: number | null;
    at: string;
  }[];
}

function Deliveries({ order }: { readonly order: Order }) {
  const { teamId, environment } = useTenant();
  const orgId = useSession().data?.session.org_id ?? '';
  const path = { org_id: orgId, team_id: teamId, environment };
  const query = useQuery({
    queryKey: ['get', '/v1/org/{org_id}/team/{team_id}/{environment}/event', path, order.id],
    queryFn: async () => {
      const [{ events, isComplete }, attempts] = await Promise.all([
        findEventsOf(order, path),
        readAttempts(path, order.created_at),
      ]);
      const rows: Row[] = events.map((event) => ({
        ...event,
        attempts: attempts.filter(({ messageId }) => messageId === event.id),
      }));
      return { rows, isComplete };
    },
  });
  return (
    <Loaded query={query} lines={3}>
      {({ rows, isComplete }) => (
        <Stack gap="xs">
          <DataTable
            label="Events and webhooks"
            rows={rows}
            keyOf={(row) => row.id}
            columns={[
              { title: 'Event', phone: 'title', render: (row) => row.type },
              { title: 'At', phone: 'aside', render: (row) => <TimeText value={row.at} />, width: 190 },
              { title: 'Webhooks', phone: 'state', render: (row) => <Attempts row={row} /> },
              { title: 'Id', phone: 'detail', render: (row) => <CopyId id={row.id} />, width: 150 },
            ]}
            empty={<Text size="sm">No event of this order is kept.</Text>}
          />
          {!isComplete && (
            <Text size="xs" c="dimmed">
              This user has many events: only the newest were searched.
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}

const Attempts = ({ row }: { readonly row: Row }) =>
  row.attempts.length === 0 ? (
    <Text size="sm" c="dimmed">
      No endpoint listens
    </Text>
  ) : (
    <Stack gap={2}>
      {row.attempts.map(({ id, endpoint, status, code }) => (
        <Text key={id} size="xs">
          <StatusBadge status={status} /> {code ?? 'no answer'} {endpoint}
        </Text>
      ))}
    </Stack>
  );

type TenantPath = Parameters<typeof findEventsOf>[1];

/** The attempts of each endpoint since the order exists; bounded by the largest page of the API. */
async function readAttempts(path: TenantPath, since: string) {
  const { data } = await client.GET('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', {
    params: { path },
  });
  const lists = await Promise.all(
    (data?.data ?? []).slice(0, 10).map(async ({ id, url }) => {
      const answer = await client.GET(
        '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/attempt',
        { params: { path: { ...path, webhook_id: id }, query: { since, limit: 250 } } },
      );
      return (answer.data?.data ?? []).map((attempt) => ({
        id: attempt.id,
        messageId: attempt.message_id,
        endpoint: url,
        status: attempt.status,
        code: attempt.status_code,
        at: attempt.at,
      }));
    }),
  );
  return lists.flat();
}
