import { Alert, Button, Code, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useRegionParams, useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { BrokerForm } from './broker-form.tsx';

type Destination = components['schemas']['PipelineDestination'];
type Pipeline = components['schemas']['ClientFacingETLPipeline'];

const HEALTH = '/v1/org/{org_id}/team/{team_id}/{environment}/pipeline';
const SETTINGS = '/v1/org/{org_id}/team_etl_pipelines/{env}/{region}';
const NAMES: Readonly<Record<string, string>> = { rabbitmq: 'RabbitMQ', nats: 'NATS JetStream' };

/** RabbitMQ and NATS: what they receive, and whether they do. */
export function Brokers() {
  const path = useTeamParams();
  const region = useRegionParams();
  const may = usePermissions();
  const [isEditing, setEditing] = useState(false);
  const health = api.useQuery('get', HEALTH, { params: { path } });
  const settings = api.useQuery(
    'get',
    SETTINGS,
    {
      params: {
        path: region ?? { org_id: '', env: 'sandbox', region: 'us' },
        query: { team_id: path.team_id },
      },
    },
    { enabled: region !== undefined && may('settings:read') },
  );
  const pipeline = settings.data?.pipelines[0];
  const edit = may('egress:write') && (
    <Button size="xs" variant="default" onClick={() => setEditing(true)} disabled={!settings.data}>
      {pipeline ? 'Change settings' : 'Connect a broker'}
    </Button>
  );
  return (
    <Loaded query={health}>
      {({ destinations, preferences }) => (
        <Stack>
          {destinations.length === 0 && !pipeline ? (
            <EmptyState
              title="No message broker"
              call="POST /v1/org/{org_id}/team_etl_pipelines/{env}/{region}"
              action={edit}
            >
              Events can also go to your RabbitMQ or NATS JetStream, with the same bodies as webhooks. They
              wait as long as the broker is not reachable, and none is dropped.
            </EmptyState>
          ) : (
            <Section title="Destinations" actions={edit}>
              <KeyValues
                rows={[
                  ['Enabled', preferences.enabled.map(nameOf).join(', ')],
                  ['Preferred', nameOf(preferences.preferred)],
                  ...(pipeline ? rowsOf(pipeline) : []),
                ]}
              />
            </Section>
          )}
          <SimpleGrid cols={{ base: 1, lg: 2 }}>
            {destinations.map((destination) => (
              <Health key={destination.destination} destination={destination} />
            ))}
          </SimpleGrid>
          {isEditing && <BrokerForm pipeline={pipeline} onClose={() => setEditing(false)} />}
        </Stack>
      )}
    </Loaded>
  );
}

const nameOf = (destination: string): string =>
  destination === 'svix' ? 'Webhook endpoints' : (NAMES[destination] ?? destination);

const rowsOf = (pipeline: Pipeline) =>
  [
    [
      'Event types',
      pipeline.event_type_prefixes && pipeline.event_type_prefixes.length > 0
        ? pipeline.event_type_prefixes.join(', ')
        : 'All events',
    ],
    ['Historical data', pipeline.push_historical_data ? 'Sent as events, too' : 'Announced only'],
    ...(pipeline.rabbitmq
      ? [
          [
            'RabbitMQ',
            <Code key="uri">{`${pipeline.rabbitmq.uri} → ${pipeline.rabbitmq.exchange}`}</Code>,
          ] as const,
        ]
      : []),
    ...(pipeline.nats
      ? [
          [
            'NATS JetStream',
            <Code key="nats">{`${pipeline.nats.servers.join(', ')} → ${pipeline.nats.subject_prefix}.*`}</Code>,
          ] as const,
        ]
      : []),
  ] as const;

const Health = ({ destination }: { readonly destination: Destination }) => (
  <Section
    title={nameOf(destination.destination)}
    actions={<StatusBadge status={destination.failing_since === null ? 'active' : 'failing'} />}
  >
    {destination.last_error !== null && destination.failing_since !== null && (
      <Alert color="red" mb="sm" title="Events are waiting">
        <Text size="sm">{destination.last_error}</Text>
      </Alert>
    )}
    <KeyValues
      rows={[
        ['Role', destination.role === 'main' ? 'Primary' : 'Standby'],
        ['Waiting events', destination.waiting.toLocaleString()],
        ['Oldest waiting', <TimeText key="oldest" value={destination.oldest_waiting_at} relative />],
        ['Failing since', <TimeText key="failing" value={destination.failing_since} relative />],
        ['Last success', <TimeText key="success" value={destination.last_success_at} relative />],
        ['Last failure', <TimeText key="failure" value={destination.last_failure_at} relative />],
        ['Next try', <TimeText key="next" value={destination.next_try_at} relative />],
      ]}
    />
  </Section>
);
