import { Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconDots, IconPlus } from '../../base/icons.ts';
import { useRegionParams, useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, Loading } from '../../components/states.tsx';
import { CopyId, StatusBadge, TimeText } from '../../components/values.tsx';
import { KeyForm } from './key-form.tsx';
import { NewSecret } from './new-secret.tsx';
import { RotateForm } from './rotate-form.tsx';

type Key = components['schemas']['ClientFacingTeamAPIKey'];

const PATH = '/v1/org/{org_id}/team_api_keys/{env}/{region}';

/** The keys of the team in this environment. Values are shown once, when a key is made. */
export function Keys() {
  const region = useRegionParams();
  const { team_id } = useTeamParams();
  const may = usePermissions();
  const queries = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<Key>();
  const [value, setValue] = useState<string>();
  const reload = () => queries.invalidateQueries({ queryKey: ['get', PATH] });
  const revoke = useMutation({
    mutationFn: async (id: string) =>
      region && client.DELETE(PATH, { params: { path: region, query: { api_key_id: [id] } } }),
    onSuccess: async () => {
      tellDone('Key revoked');
      await reload();
    },
    onError: tellError,
  });
  const made = async (secret: string) => {
    setCreating(false);
    setRotating(undefined);
    setValue(secret);
    await reload();
  };
  const add = may('keys:create') && (
    <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
      Create key
    </Button>
  );
  if (!region) return <Loading lines={4} />;
  return (
    <Section title="Team API keys" actions={add}>
      <CursorTable
        label="Team API keys"
        columns={[
          ...COLUMNS,
          {
            title: 'Actions',
            phone: 'state',
            width: 90,
            align: 'right',
            render: (key) => (
              <KeyMenu
                label={key.label}
                canRotate={may('keys:create') && key.replaced_by === null}
                canRevoke={may('keys:revoke')}
                onRotate={() => setRotating(key)}
                onRevoke={() =>
                  confirm({
                    title: `Revoke “${key.label}”?`,
                    text: 'Requests with this key are refused within seconds. This cannot be undone.',
                    action: 'Revoke key',
                    isDangerous: true,
                    run: () => revoke.mutate(key.id),
                  })
                }
              />
            ),
          },
        ]}
        keyOf={({ id }) => id}
        queryKey={['get', PATH, region, team_id]}
        fetchPage={async (cursor) => {
          const query = { team_id, ...(cursor === undefined ? {} : { next_cursor: cursor }) };
          const { data } = await client.GET(PATH, { params: { path: region, query } });
          return { rows: data?.api_keys ?? [], next: data?.next_cursor };
        }}
        empty={
          <EmptyState title="No keys" call={`POST ${PATH}`} action={add}>
            A key lets your service call the API for this team in this environment. Give it only the areas
            that it needs.
          </EmptyState>
        }
      />
      {isCreating && <KeyForm region={region} onMade={made} onClose={() => setCreating(false)} />}
      {rotating && (
        <RotateForm
          label={rotating.label}
          expires={rotating.expires_at !== null}
          rotate={async (body) => {
            const path = { ...region, team_api_key_id: rotating.id };
            const { data } = await client.POST(`${PATH}/{team_api_key_id}/rotate`, {
              params: { path },
              body,
            });
            return data?.value;
          }}
          onMade={made}
          onClose={() => setRotating(undefined)}
        />
      )}
      {value !== undefined && (
        <NewSecret title="Your new API key" value={value} onClose={() => setValue(undefined)} />
      )}
    </Section>
  );
}

const COLUMNS: readonly Column<Key>[] = [
  {
    title: 'Label',
    phone: 'title',
    render: (key) => (
      <Stack gap={2}>
        <Group gap="xs" wrap="nowrap">
          <Text size="sm" fw={500}>
            {key.label}
          </Text>
          {key.replaced_by !== null && <StatusBadge status="replaced" />}
        </Group>
        <Stack gap={0} hiddenFrom="xl">
          <Value of={key} />
          <CopyId id={key.id} />
        </Stack>
      </Stack>
    ),
  },
  { title: 'Key', width: 150, isWideOnly: true, render: (key) => <Value of={key} /> },
  { title: 'May', phone: 'detail', width: 200, render: (key) => <Limits keyRow={key} /> },
  { title: 'Last used', phone: 'aside', width: 130, render: (key) => <LastUse at={key.last_used_at} /> },
  { title: 'Expires', phone: 'line', width: 130, render: (key) => <Expiry at={key.expires_at} /> },
  { title: 'Id', width: 140, isWideOnly: true, render: ({ id }) => <CopyId id={id} /> },
];

const Value = ({ of: { value } }: { readonly of: Key }) => (
  <Text size="xs" ff="monospace">
    {value}
  </Text>
);

export const LastUse = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <Text size="sm" c="dimmed">
      Never
    </Text>
  ) : (
    <TimeText value={at} relative />
  );

export const Expiry = ({ at }: { readonly at: string | null }) =>
  at === null ? (
    <Text size="sm" c="dimmed">
      Never
    </Text>
  ) : (
    <TimeText value={at} relative />
  );

const Limits = ({ keyRow: { read_only, assistants, areas } }: { readonly keyRow: Key }) => (
  <Group gap={4}>
    <Badge variant="light" color="gray" tt="none" radius="sm">
      {read_only ? 'Read only' : 'Read and write'}
    </Badge>
    {assistants && (
      <Badge variant="light" color="blue" tt="none" radius="sm">
        Assistants
      </Badge>
    )}
    <Text size="xs">{areas === null ? 'all areas' : areas.join(', ')}</Text>
  </Group>
);

interface KeyMenuProps {
  readonly label: string;
  readonly canRotate: boolean;
  readonly canRevoke: boolean;
  readonly onRotate: () => void;
  readonly onRevoke: () => void;
}

export const KeyMenu = ({ label, canRotate, canRevoke, onRotate, onRevoke }: KeyMenuProps) => (
  <Menu position="bottom-end" width={160}>
    <Menu.Target>
      <Button
        size="compact-xs"
        variant="subtle"
        color="gray"
        aria-label={`Actions for ${label}`}
        disabled={!canRotate && !canRevoke}
      >
        <IconDots size={16} />
      </Button>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item disabled={!canRotate} onClick={onRotate}>
        Rotate
      </Menu.Item>
      <Menu.Item disabled={!canRevoke} color="red" onClick={onRevoke}>
        Revoke
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);
