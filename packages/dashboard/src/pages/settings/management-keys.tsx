import { Badge, Button, Group, MultiSelect, NumberInput, Select, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconPlus } from '../../base/icons.ts';
import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { BY_CURSOR, LoadMore } from '../../components/load-more.tsx';
import { Section } from '../../components/page.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { TimeText } from '../../components/values.tsx';
import { useTeamNames } from './use-team-names.ts';

const PATH = '/v1/org/{org_id}/management_key';
type Key = components['schemas']['ClientFacingManagementKey'];

export function ManagementKeys() {
  const orgId = useOrgId();
  const may = useOrganizationPermissions();
  const { nameOf } = useTeamNames();
  const query = api.useInfiniteQuery('get', PATH, { params: { path: { org_id: orgId } } }, BY_CURSOR);
  const { run } = useAction([PATH]);
  const [isCreating, setCreating] = useState(false);
  const [rotated, setRotated] = useState<Key>();
  const [value, setValue] = useState<string>();
  const revoke = ({ id, label }: Key) =>
    confirm({
      title: `Revoke ${label}?`,
      text: 'Programs that use this key are refused at once. This cannot be undone.',
      action: 'Revoke',
      isDangerous: true,
      run: () =>
        run(
          () => client.DELETE(`${PATH}/{key_id}`, { params: { path: { org_id: orgId, key_id: id } } }),
          'The key is revoked.',
        ),
    });
  return (
    <Section
      title="Management keys"
      actions={
        may('management-keys:write') && (
          <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
            Create a key
          </Button>
        )
      }
    >
      <Loaded query={query}>
        {({ pages }) => (
          <Stack>
            <DataTable
              label="Management keys"
              rows={pages.flatMap(({ data }) => data)}
              keyOf={({ id }) => id}
              empty={
                <EmptyState title="No management keys" call="POST /v1/org/{org_id}/management_key">
                  A program manages the organization or some of its teams with such a key. It is not the key
                  of a team, by which users and orders are read and written.
                </EmptyState>
              }
              columns={[
                { title: 'Label', render: ({ label }) => label },
                {
                  title: 'Manages',
                  render: ({ role, team_role_bindings: teams }) =>
                    role === 'org_admin'
                      ? 'The organization'
                      : (teams ?? []).map(({ team_id: id }) => nameOf(id)).join(', '),
                },
                { title: 'Created', render: ({ created_at: at }) => <TimeText value={at} /> },
                {
                  title: 'Last used',
                  render: ({ last_used_at: at }) => (at ? <TimeText value={at} relative /> : 'Never'),
                },
                {
                  title: 'Expires',
                  render: ({ expires_at: at, replaced_by: next }) => (
                    <Group gap="xs" wrap="nowrap">
                      {at ? <TimeText value={at} relative /> : 'Never'}
                      {next && (
                        <Badge variant="light" color="gray" tt="none">
                          rotated
                        </Badge>
                      )}
                    </Group>
                  ),
                },
                {
                  title: 'Actions',
                  align: 'right',
                  render: (key) => (
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      {may('management-keys:write') && !key.replaced_by && (
                        <Button size="compact-xs" variant="default" onClick={() => setRotated(key)}>
                          Rotate
                        </Button>
                      )}
                      {may('management-keys:revoke') && (
                        <Button size="compact-xs" variant="default" onClick={() => revoke(key)}>
                          Revoke
                        </Button>
                      )}
                    </Group>
                  ),
                },
              ]}
            />
            <LoadMore query={query} />
          </Stack>
        )}
      </Loaded>
      {isCreating && <CreateKey onClose={() => setCreating(false)} onValue={setValue} />}
      {rotated && <RotateKey known={rotated} onClose={() => setRotated(undefined)} onValue={setValue} />}
      {value !== undefined && (
        <SecretOnce
          title="The new management key"
          text="Send it in the header x-management-key. It manages the organization, so keep it in a vault."
          value={value}
          onClose={() => setValue(undefined)}
        />
      )}
    </Section>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onValue: (value: string) => void;
}

const DAY_MS = 86_400_000;
const inDays = (days: number | string): string | null =>
  days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();

function CreateKey({ onClose, onValue }: DialogProps) {
  const orgId = useOrgId();
  const { options } = useTeamNames();
  const [label, setLabel] = useState('');
  const [role, setRole] = useState<Key['role']>('team_admin');
  const [teamIds, setTeamIds] = useState<string[]>([]);
  const [days, setDays] = useState<number | string>('');
  const submit = async () => {
    const { data } = await client.POST(PATH, {
      params: { path: { org_id: orgId } },
      body: {
        label: label.trim(),
        role,
        team_role_bindings: role === 'team_admin' ? teamIds.map((id) => ({ team_id: id })) : null,
        expires_at: inDays(days),
      },
    });
    if (data) onValue(data.key);
  };
  return (
    <FormDialog
      title="Create a management key"
      action="Create"
      changes={[PATH]}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextInput
        label="Label"
        description="The program that uses it."
        required
        data-autofocus
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
      <Select
        label="Manages"
        allowDeselect={false}
        data={[
          { value: 'team_admin', label: 'Some teams' },
          { value: 'org_admin', label: 'The whole organization' },
        ]}
        value={role}
        onChange={(chosen) => setRole(chosen === 'org_admin' ? 'org_admin' : 'team_admin')}
      />
      {role === 'team_admin' && (
        <MultiSelect label="Teams" required data={[...options]} value={teamIds} onChange={setTeamIds} />
      )}
      <NumberInput
        label="Days until it expires"
        placeholder="Never"
        min={1}
        allowDecimal={false}
        value={days}
        onChange={setDays}
      />
    </FormDialog>
  );
}

function RotateKey({ known, onClose, onValue }: DialogProps & { readonly known: Key }) {
  const orgId = useOrgId();
  const [hours, setHours] = useState<number | string>(24);
  const submit = async () => {
    const { data } = await client.POST(`${PATH}/{key_id}/rotate`, {
      params: { path: { org_id: orgId, key_id: known.id } },
      body: { overlap_hours: Number(hours) },
    });
    if (data) onValue(data.key);
  };
  return (
    <FormDialog
      title={`Rotate ${known.label}`}
      action="Rotate"
      changes={[PATH]}
      onClose={onClose}
      onSubmit={submit}
    >
      <NumberInput
        label="Hours for which the old key stays valid"
        description="Time to give the new one to its program."
        min={0}
        max={720}
        allowDecimal={false}
        value={hours}
        onChange={setHours}
      />
    </FormDialog>
  );
}
