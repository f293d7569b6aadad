import { Badge, Box, Button, Group, Modal, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useSession } from '../../api/session.ts';
import { IconPlus } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import { CursorTable } from '../../components/cursor-table.tsx';
import type { Column } from '../../components/data-table.tsx';
import { Section } from '../../components/page.tsx';
import { EmptyState, ErrorNotice } from '../../components/states.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';
import { useTeamNames } from '../settings/use-team-names.ts';
import { Expiry, KeyMenu, LastUse } from './keys.tsx';
import { expiryOf, LIFETIMES } from './lifetimes.ts';
import { NewSecret } from './new-secret.tsx';
import { RotateForm } from './rotate-form.tsx';

type Key = components['schemas']['ClientFacingManagementKey'];

const PATH = '/v1/org/{org_id}/management_key';

const columnsOf = (nameOf: (teamId: string) => string): readonly Column<Key>[] => [
  {
    title: 'Label',
    phone: 'title',
    render: (key) => (
      <Stack gap={0}>
        <Text size="sm" fw={500}>
          {key.label}
        </Text>
        <Box hiddenFrom="xl">
          <CopyId id={key.id} />
        </Box>
      </Stack>
    ),
  },
  {
    title: 'May',
    phone: 'detail',
    width: 190,
    render: ({ role, team_role_bindings: teams }) =>
      role === 'org_admin'
        ? 'Manage the organization'
        : `Manage ${(teams ?? []).map(({ team_id: id }) => nameOf(id)).join(', ')}`,
  },
  { title: 'Last used', phone: 'aside', width: 120, render: (key) => <LastUse at={key.last_used_at} /> },
  { title: 'Created', width: 150, isWideOnly: true, render: (key) => <TimeText value={key.created_at} /> },
  {
    title: 'Expires',
    phone: 'line',
    width: 150,
    render: (key) => (
      <Group gap="xs" wrap="nowrap">
        <Expiry at={key.expires_at} />
        {key.replaced_by && (
          <Badge variant="light" color="gray" tt="none">
            rotated
          </Badge>
        )}
      </Group>
    ),
  },
  { title: 'Id', width: 140, isWideOnly: true, render: ({ id }) => <CopyId id={id} /> },
];

/** Keys that create teams, keys and endpoints; only for those who may see them. */
export function ManagementKeys() {
  const { org_id } = useTeamParams();
  const { nameOf } = useTeamNames();
  const organization = useSession().data?.access.organization ?? [];
  const mayWrite = organization.includes('management-keys:write');
  const queries = useQueryClient();
  const [isCreating, setCreating] = useState(false);
  const [rotating, setRotating] = useState<Key>();
  const [value, setValue] = useState<string>();
  const reload = () => queries.invalidateQueries({ queryKey: ['get', PATH] });
  const revoke = useMutation({
    mutationFn: (id: string) =>
      client.DELETE(`${PATH}/{key_id}`, { params: { path: { org_id, key_id: id } } }),
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
  const menuOf = (key: Key) => (
    <KeyMenu
      label={key.label}
      canRotate={mayWrite && key.replaced_by === null}
      canRevoke={organization.includes('management-keys:revoke')}
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
  );
  if (!organization.includes('management-keys:read')) return null;
  return (
    <Stack mt="lg">
      <Section
        title="Management keys"
        actions={
          mayWrite && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconPlus size={15} />}
              onClick={() => setCreating(true)}
            >
              Create management key
            </Button>
          )
        }
      >
        <CursorTable
          label="Management keys"
          columns={[
            ...columnsOf(nameOf),
            { title: 'Actions', phone: 'state', width: 90, align: 'right', render: menuOf },
          ]}
          keyOf={({ id }) => id}
          queryKey={['get', PATH, org_id]}
          fetchPage={async (cursor) => {
            const query = cursor === undefined ? {} : { next_cursor: cursor };
            const { data } = await client.GET(PATH, { params: { path: { org_id }, query } });
            return { rows: data?.data ?? [], next: data?.next_cursor };
          }}
          empty={
            <EmptyState title="No management keys" call={`POST ${PATH}`}>
              A program manages the organization or some of its teams with such a key. It is not the key of a
              team, by which users and orders are read and written.
            </EmptyState>
          }
        />
      </Section>
      {isCreating && <ManagementKeyForm onMade={made} onClose={() => setCreating(false)} />}
      {rotating && (
        <RotateForm
          label={rotating.label}
          expires={rotating.expires_at !== null}
          rotate={async (body) => {
            const path = { org_id, key_id: rotating.id };
            const { data } = await client.POST(`${PATH}/{key_id}/rotate`, { params: { path }, body });
            return data?.key;
          }}
          onMade={made}
          onClose={() => setRotating(undefined)}
        />
      )}
      {value !== undefined && (
        <NewSecret title="Your new management key" value={value} onClose={() => setValue(undefined)} />
      )}
    </Stack>
  );
}

interface ManagementKeyFormProps {
  readonly onMade: (value: string) => void;
  readonly onClose: () => void;
}

function ManagementKeyForm({ onMade, onClose }: ManagementKeyFormProps) {
  const { org_id, team_id } = useTeamParams();
  const [label, setLabel] = useState('');
  const { options } = useTeamNames();
  const [role, setRole] = useState<string | null>('team_admin');
  const [teamIds, setTeamIds] = useState([team_id]);
  const [days, setDays] = useState<string | null>('90');
  const create = useMutation({
    mutationFn: async () => {
      const scope =
        role === 'org_admin'
          ? { role: 'org_admin' as const }
          : { role: 'team_admin' as const, team_role_bindings: teamIds.map((id) => ({ team_id: id })) };
      const body = { label, expires_at: expiryOf(days), ...scope };
      return (await client.POST(PATH, { params: { path: { org_id } }, body })).data?.key;
    },
    onSuccess: (key) => key !== undefined && onMade(key),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Create management key">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Label"
            required
            maxLength={200}
            data-autofocus
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <Select
            label="May manage"
            allowDeselect={false}
            data={[
              { value: 'team_admin', label: 'Some teams' },
              { value: 'org_admin', label: 'The whole organization' },
            ]}
            value={role}
            onChange={setRole}
          />
          {role === 'team_admin' && (
            <MultiSelect
              label="Teams"
              required
              searchable
              data={[...options]}
              value={teamIds}
              onChange={setTeamIds}
            />
          )}
          <Select
            label="Expires"
            allowDeselect={false}
            data={[...LIFETIMES]}
            value={days}
            onChange={setDays}
          />
          {create.error && <ErrorNotice error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button
              type="submit"
              loading={create.isPending}
              disabled={role === 'team_admin' && teamIds.length === 0}
            >
              Create key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
