import { Button, Checkbox, Fieldset, Group, Modal, Select, Stack, TagsInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useRegionParams, useTeamParams } from '../../base/organization.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/states.tsx';

type Pipeline = components['schemas']['ClientFacingETLPipeline'];

const PATH = '/v1/org/{org_id}/team_etl_pipelines/{env}/{region}';
const DESTINATIONS = ['svix', 'rabbitmq', 'nats'] as const;
type Destination = (typeof DESTINATIONS)[number];
const LABELS: Readonly<Record<Destination, string>> = {
  svix: 'Webhook endpoints',
  rabbitmq: 'RabbitMQ',
  nats: 'NATS JetStream',
};

interface BrokerFormProps {
  readonly pipeline: Pipeline | undefined;
  readonly onClose: () => void;
}

const initialOf = (pipeline: Pipeline | undefined) => ({
  enabled: DESTINATIONS.filter((one) =>
    pipeline ? pipeline.preferences.enabled.includes(one) : one === 'svix',
  ),
  preferred: DESTINATIONS.find((one) => one === pipeline?.preferences.preferred) ?? 'svix',
  uri: pipeline?.rabbitmq?.uri ?? '',
  exchange: pipeline?.rabbitmq?.exchange ?? '',
  servers: pipeline?.nats?.servers ?? [],
  stream: pipeline?.nats?.stream ?? '',
  subject: pipeline?.nats?.subject_prefix ?? '',
  prefixes: pipeline?.event_type_prefixes ?? [],
});

type Settings = ReturnType<typeof initialOf>;

const bodyOf = (teamId: string, settings: Settings) => ({
  team_ids: [teamId],
  preferences: { preferred: settings.preferred, enabled: [...settings.enabled] },
  event_type_prefixes: [...settings.prefixes],
  ...(settings.uri === '' ? {} : { rabbitmq: { uri: settings.uri, exchange: settings.exchange } }),
  ...(settings.servers.length === 0
    ? {}
    : {
        nats: {
          servers: [...settings.servers],
          stream: settings.stream === '' ? null : settings.stream,
          subject_prefix: settings.subject,
        },
      }),
});

export function BrokerForm({ pipeline, onClose }: BrokerFormProps) {
  const region = useRegionParams();
  const { team_id } = useTeamParams();
  const queries = useQueryClient();
  const [settings, setSettings] = useState(() => initialOf(pipeline));
  const change = (changed: Partial<Settings>) => setSettings({ ...settings, ...changed });
  const done = async (message: string) => {
    await queries.invalidateQueries({ queryKey: ['get', PATH] });
    await queries.invalidateQueries({
      queryKey: ['get', '/v1/org/{org_id}/team/{team_id}/{environment}/pipeline'],
    });
    tellDone(message);
    onClose();
  };
  const save = useMutation({
    mutationFn: async () =>
      region && client.POST(PATH, { params: { path: region }, body: bodyOf(team_id, settings) }),
    onSuccess: () => done('Destinations changed'),
  });
  const remove = useMutation({
    mutationFn: async () =>
      region && client.DELETE(PATH, { params: { path: region, query: { team_id: [team_id] } } }),
    onSuccess: () => done('Brokers removed. Events go to webhook endpoints only.'),
    onError: tellError,
  });
  return (
    <Modal opened onClose={onClose} title="Event destinations" size="lg">
      <Stack>
        <Checkbox.Group
          label="Send events to"
          value={[...settings.enabled]}
          onChange={(value) => change({ enabled: DESTINATIONS.filter((one) => value.includes(one)) })}
        >
          <Group mt="xs">
            {DESTINATIONS.map((one) => (
              <Checkbox key={one} value={one} label={LABELS[one]} />
            ))}
          </Group>
        </Checkbox.Group>
        <Select
          label="Preferred"
          description="Of two brokers, the preferred one receives events; the other takes over after 10 minutes of failures."
          allowDeselect={false}
          data={DESTINATIONS.map((value) => ({ value, label: LABELS[value] }))}
          value={settings.preferred}
          onChange={(value) => change({ preferred: DESTINATIONS.find((one) => one === value) ?? 'svix' })}
        />
        {settings.enabled.includes('rabbitmq') && <RabbitMq settings={settings} change={change} />}
        {settings.enabled.includes('nats') && <Nats settings={settings} change={change} />}
        <TagsInput
          label="Event type prefixes"
          description="Brokers receive events whose type begins with one of these. Empty: every event."
          placeholder="labtest.order"
          value={settings.prefixes}
          onChange={(prefixes) => change({ prefixes })}
        />
        {save.error && <ErrorNotice error={save.error} />}
        <Group justify="flex-end">
          {pipeline && (
            <Button
              variant="subtle"
              color="red"
              mr="auto"
              loading={remove.isPending}
              onClick={() =>
                confirm({
                  title: 'Remove the brokers?',
                  text: 'Events go to webhook endpoints only, and events that wait for a broker are not sent to it any more. The event log has them.',
                  action: 'Remove brokers',
                  isDangerous: true,
                  run: () => remove.mutate(),
                })
              }
            >
              Remove
            </Button>
          )}
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

interface PartProps {
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
}

const RabbitMq = ({ settings, change }: PartProps) => (
  <Fieldset legend="RabbitMQ">
    <Stack gap="sm">
      <TextInput
        label="URI"
        description="amqps, or amqp in sandbox. The password is shown masked; leaving the mask keeps it."
        placeholder="amqps://user:password@broker.example.com/vhost"
        required
        value={settings.uri}
        onChange={(event) => change({ uri: event.currentTarget.value })}
      />
      <TextInput
        label="Exchange"
        description="It must exist already."
        required
        value={settings.exchange}
        onChange={(event) => change({ exchange: event.currentTarget.value })}
      />
    </Stack>
  </Fieldset>
);

const Nats = ({ settings, change }: PartProps) => (
  <Fieldset legend="NATS JetStream">
    <Stack gap="sm">
      <TagsInput
        label="Servers"
        description="Up to five, tried in order: tls, or nats in sandbox."
        placeholder="tls://nats.example.com:4222"
        required
        maxTags={5}
        value={settings.servers}
        onChange={(servers) => change({ servers })}
      />
      <TextInput
        label="Subject prefix"
        placeholder="aliquot"
        required
        value={settings.subject}
        onChange={(event) => change({ subject: event.currentTarget.value })}
      />
      <TextInput
        label="Stream"
        description="Empty: the stream that has the subject."
        value={settings.stream}
        onChange={(event) => change({ stream: event.currentTarget.value })}
      />
    </Stack>
  </Fieldset>
);
