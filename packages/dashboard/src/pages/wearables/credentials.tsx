import { Button, Group, Modal, PasswordInput, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPlus } from '../../base/icons.ts';
import { useRegionParams, useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { ProviderName } from '../../components/provider-name.tsx';
import { EmptyState, ErrorNotice, Loading } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { TimeText } from '../../components/values.tsx';

type Credential = components['schemas']['ClientFacingTeamProviderCredentials'];

const PATH = '/v1/org/{org_id}/team_custom_credentials/{env}/{region}';
/** Providers that know an application by an id and a secret alone. */
const PROVIDERS = [
  'oura',
  'garmin',
  'strava',
  'wahoo',
  'withings',
  'dexcom_v3',
  'whoop_v2',
  'ultrahuman',
] as const;

const COLUMNS: readonly Column<Credential>[] = [
  { title: 'Provider', phone: 'title', render: ({ source }) => <ProviderName slug={source} /> },
  {
    title: 'Client id',
    phone: 'line',
    width: 260,
    render: ({ client_id: id }) => (
      <Text size="xs" ff="monospace">
        {id ?? '–'}
      </Text>
    ),
  },
  {
    title: 'Secret',
    phone: 'detail',
    width: 120,
    render: ({ client_secret_hash: hash }) => (hash === null ? 'None' : 'Set'),
  },
  { title: 'Changed', phone: 'aside', width: 170, render: ({ updated_at: at }) => <TimeText value={at} /> },
];

/** The team's own applications at providers; without one, the service uses those of its configuration. */
export function Credentials() {
  const region = useRegionParams();
  const { team_id } = useTeamParams();
  const may = usePermissions();
  const { run } = useAction([PATH]);
  const [isAdding, setAdding] = useState(false);
  if (!region) return <Loading lines={3} />;
  const remove = ({ id, source }: Credential) =>
    confirm({
      title: `Remove the credentials of ${source}?`,
      text: 'Connections that were made with them cannot be refreshed any more, unless the service has credentials of its own.',
      action: 'Remove',
      isDangerous: true,
      run: () =>
        run(
          () => client.DELETE(PATH, { params: { path: region, query: { credential_id: [id] } } }),
          'Credentials removed',
        ),
    });
  const add = may('egress:write') && (
    <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setAdding(true)}>
      Set credentials
    </Button>
  );
  const actions: Column<Credential> = {
    title: 'Actions',
    phone: 'state',
    width: 100,
    align: 'right',
    render: (credential) => (
      <Button
        size="compact-xs"
        variant="subtle"
        color="red"
        disabled={!may('egress:write')}
        aria-label={`Remove the credentials of ${credential.source}`}
        onClick={() => remove(credential)}
      >
        Remove
      </Button>
    ),
  };
  return (
    <Section title="Provider credentials" actions={add}>
      <CursorTable
        label="Provider credentials"
        columns={[...COLUMNS, actions]}
        keyOf={({ id }) => id}
        queryKey={['get', PATH, region, team_id]}
        fetchPage={async (cursor) => {
          const query = { team_id: [team_id], ...(cursor && { next_cursor: cursor }) };
          const { data } = await client.GET(PATH, { params: { path: region, query } });
          return { rows: data?.credentials ?? [], next: data?.next_cursor };
        }}
        empty={
          <EmptyState title="No credentials of your own" call={`POST ${PATH}`}>
            Register an application at the provider and set its id and secret here. Users then see your name
            when they connect.
          </EmptyState>
        }
      />
      {isAdding && <CredentialForm region={region} onClose={() => setAdding(false)} />}
    </Section>
  );
}

interface CredentialFormProps {
  readonly region: NonNullable<ReturnType<typeof useRegionParams>>;
  readonly onClose: () => void;
}

function CredentialForm({ region, onClose }: CredentialFormProps) {
  const { org_id, team_id } = useTeamParams();
  const { run } = useAction([PATH]);
  const [provider, setProvider] = useState<(typeof PROVIDERS)[number]>('oura');
  const [id, setId] = useState('');
  const [secret, setSecret] = useState('');
  const save = useMutation({
    mutationFn: () =>
      client.POST(PATH, {
        params: { path: region },
        body: { team_id, provider, client_id: id, client_secret: secret },
      }),
    onSuccess: async () => {
      await run(async () => undefined, 'Credentials set');
      onClose();
    },
  });
  const prepare = useMutation({
    mutationFn: () =>
      client.POST('/v1/org/{org_id}/prepare_team_custom_credentials/{env}/{region}', {
        params: { path: { ...region, org_id } },
        body: { team_id, provider },
      }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Set provider credentials" size="lg">
      <form onSubmit={submit}>
        <Stack>
          <Select
            label="Provider"
            description="Others need more than an id and a secret: use the API for them."
            allowDeselect={false}
            data={[...PROVIDERS]}
            value={provider}
            onChange={(value) => setProvider(PROVIDERS.find((one) => one === value) ?? 'oura')}
          />
          <Group>
            <Button size="xs" variant="default" loading={prepare.isPending} onClick={() => prepare.mutate()}>
              What must I enter at the provider?
            </Button>
          </Group>
          {prepare.data?.data?.preparation_steps.map((step) => (
            <Text key={`${step.type}-${step.value}`} size="sm">
              {step.type.replace('_', ' ')}: <code>{step.value}</code>
            </Text>
          ))}
          <TextInput
            label="Client id"
            required
            autoComplete="off"
            value={id}
            onChange={(event) => setId(event.currentTarget.value)}
          />
          <PasswordInput
            label="Client secret"
            required
            autoComplete="off"
            value={secret}
            onChange={(event) => setSecret(event.currentTarget.value)}
          />
          {(save.error ?? prepare.error) && <ErrorNotice error={save.error ?? prepare.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
