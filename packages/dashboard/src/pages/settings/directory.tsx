import { Badge, Button, Group, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { PREFIX } from '../../api/service.ts';
import { IconPlus } from '../../base/icons.ts';
import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { BY_CURSOR, LoadMore } from '../../components/load-more.tsx';
import { Section } from '../../components/page.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { TimeText } from '../../components/values.tsx';
import { BindingsEditor } from './bindings-editor.tsx';
import { ASSIGNABLE_ROLES, describeBinding } from './role-names.ts';
import { useTeamNames } from './use-team-names.ts';

const TOKENS = '/v1/org/{org_id}/directory_token';
const GROUPS = '/v1/org/{org_id}/directory_group';
type Token = components['schemas']['DirectoryToken'];
type DirectoryGroup = components['schemas']['DirectoryGroup'];

const TOKENS_MAX = 2;
const DAY_MS = 86_400_000;

export const Directory = () => (
  <>
    <Section title="For your directory">
      <Text size="sm" mb="xs">
        Entra ID, Okta and others add people, change their roles and take them away by SCIM 2.0. Enter this
        address and a token there:
      </Text>
      <CodeBlock text={`${location.origin}${PREFIX}/scim/v2`} />
    </Section>
    <Tokens />
    <Groups />
  </>
);

function Tokens() {
  const orgId = useOrgId();
  const may = useOrganizationPermissions();
  const query = api.useQuery('get', TOKENS, { params: { path: { org_id: orgId } } });
  const { run } = useAction([TOKENS]);
  const [isCreating, setCreating] = useState(false);
  const [value, setValue] = useState<string>();
  const mayWrite = may('directory:write');
  const revoke = ({ id, label }: Token) =>
    confirm({
      title: `Revoke ${label}?`,
      text: 'The directory that uses it can no longer add or remove people.',
      action: 'Revoke',
      isDangerous: true,
      run: () =>
        run(
          () =>
            client.DELETE(`${TOKENS}/{directory_token_id}`, {
              params: { path: { org_id: orgId, directory_token_id: id } },
            }),
          'The token is revoked.',
        ),
    });
  return (
    <Section
      title="Tokens"
      actions={
        mayWrite && (
          <Button
            size="xs"
            leftSection={<IconPlus size={15} />}
            disabled={(query.data?.data.length ?? 0) >= TOKENS_MAX}
            onClick={() => setCreating(true)}
          >
            Create a token
          </Button>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {({ data }) => (
          <DataTable
            label="Directory tokens"
            rows={data}
            keyOf={({ id }) => id}
            empty={
              <EmptyState title="No tokens" call="POST /v1/org/{org_id}/directory_token">
                Your directory shows such a token with each request. Two work at a time, so that one is
                replaced without a break.
              </EmptyState>
            }
            columns={[
              { title: 'Label', render: ({ label }) => label },
              { title: 'Begins with', render: ({ value: start }) => start },
              { title: 'Created', render: ({ created_at: at }) => <TimeText value={at} /> },
              {
                title: 'Last used',
                render: ({ last_used_at: at }) => (at ? <TimeText value={at} relative /> : 'Never'),
              },
              {
                title: 'Expires',
                render: ({ expires_at: at }) => (at ? <TimeText value={at} relative /> : 'Never'),
              },
              {
                title: 'Actions',
                align: 'right',
                render: (token) =>
                  mayWrite && (
                    <Button size="compact-xs" variant="default" onClick={() => revoke(token)}>
                      Revoke
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {isCreating && <CreateToken onClose={() => setCreating(false)} onValue={setValue} />}
      {value !== undefined && (
        <SecretOnce
          title="The new directory token"
          text="Enter it in the directory, beside the address on this page."
          value={value}
          onClose={() => setValue(undefined)}
        />
      )}
    </Section>
  );
}

interface CreateTokenProps {
  readonly onClose: () => void;
  readonly onValue: (value: string) => void;
}

function CreateToken({ onClose, onValue }: CreateTokenProps) {
  const orgId = useOrgId();
  const [label, setLabel] = useState('');
  const [days, setDays] = useState<number | string>('');
  const submit = async () => {
    const expires = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString();
    const { data } = await client.POST(TOKENS, {
      params: { path: { org_id: orgId } },
      body: { label: label.trim(), expires_at: expires },
    });
    if (data) onValue(data.value);
  };
  return (
    <FormDialog
      title="Create a directory token"
      action="Create"
      changes={[TOKENS]}
      onClose={onClose}
      onSubmit={submit}
    >
      <TextInput
        label="Label"
        description="The directory that uses it."
        required
        data-autofocus
        value={label}
        onChange={(event) => setLabel(event.currentTarget.value)}
      />
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

function Groups() {
  const orgId = useOrgId();
  const may = useOrganizationPermissions();
  const { nameOf } = useTeamNames();
  const query = api.useInfiniteQuery('get', GROUPS, { params: { path: { org_id: orgId } } }, BY_CURSOR);
  const [edited, setEdited] = useState<DirectoryGroup>();
  return (
    <Section title="Groups and their roles">
      <Loaded query={query} lines={2}>
        {({ pages }) => (
          <Stack>
            <DataTable
              label="Directory groups"
              rows={pages.flatMap(({ data }) => data)}
              keyOf={({ id }) => id}
              empty={
                <EmptyState title="No groups">
                  Groups that your directory pushes appear here. A group gives no access until you set its
                  roles.
                </EmptyState>
              }
              columns={[
                { title: 'Group', render: ({ name }) => name },
                { title: 'Members', align: 'right', render: ({ member_count: count }) => count },
                {
                  title: 'Roles',
                  render: ({ roles }) =>
                    roles.length === 0 ? (
                      'None'
                    ) : (
                      <Group gap={4}>
                        {roles
                          .map((role) => describeBinding(role, nameOf))
                          .map((text) => (
                            <Badge key={text} variant="default" tt="none" fw={500} radius="sm">
                              {text}
                            </Badge>
                          ))}
                      </Group>
                    ),
                },
                {
                  title: 'Actions',
                  align: 'right',
                  render: (group) =>
                    may('directory:write') && (
                      <Button size="compact-xs" variant="default" onClick={() => setEdited(group)}>
                        Set the roles
                      </Button>
                    ),
                },
              ]}
            />
            <LoadMore query={query} />
          </Stack>
        )}
      </Loaded>
      {edited && <GroupRoles group={edited} onClose={() => setEdited(undefined)} />}
    </Section>
  );
}

const GROUP_ROLES = [{ value: 'owner', label: 'Owner' } as const, ...ASSIGNABLE_ROLES];

function GroupRoles({ group, onClose }: { readonly group: DirectoryGroup; readonly onClose: () => void }) {
  const orgId = useOrgId();
  const [roles, setRoles] = useState<readonly DirectoryGroup['roles'][number][]>(group.roles);
  return (
    <FormDialog
      title={`Roles of ${group.name}`}
      action="Save"
      size="lg"
      changes={[GROUPS, '/v1/org/{org_id}/member']}
      onClose={onClose}
      onSubmit={() =>
        client.PUT(`${GROUPS}/{group_id}/roles`, {
          params: { path: { org_id: orgId, group_id: group.id } },
          body: { roles: [...roles] },
        })
      }
    >
      <Text size="sm">
        Every member of the group has these roles, beside those of other groups and those given by hand.
      </Text>
      <BindingsEditor roles={GROUP_ROLES} value={roles} onChange={setRoles} />
    </FormDialog>
  );
}
