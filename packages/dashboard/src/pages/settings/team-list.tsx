import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { sessionQuery } from '../../api/session.ts';
import { IconPlus } from '../../base/icons.ts';
import { useOrganizationPermissions, useOrgId, useTenant } from '../../base/tenant.ts';
import { DataTable } from '../../components/data-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { BY_CURSOR, LoadMore } from '../../components/load-more.tsx';
import { KeyValues, CopyId, TimeText } from '../../components/values.tsx';
import { Loaded } from '../../components/states.tsx';
import { Section } from '../../components/page.tsx';

const PATH = '/v1/org/{org_id}/team';
type Team = components['schemas']['ClientFacingOrgTeamListItem'];

export function TeamList() {
  const orgId = useOrgId();
  const { teamId: shown } = useTenant();
  const may = useOrganizationPermissions();
  const navigate = useNavigate();
  const query = api.useInfiniteQuery('get', PATH, { params: { path: { org_id: orgId } } }, BY_CURSOR);
  const [open, setOpen] = useState<'create' | 'rename' | Team>();
  const region = query.data?.pages[0]?.teams[0]?.region ?? 'us';
  return (
    <>
      <OrganizationName mayChange={may('organization:write')} onRename={() => setOpen('rename')} />
      <Section
        title="Teams"
        actions={
          may('organization:write') && (
            <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setOpen('create')}>
              Create a team
            </Button>
          )
        }
      >
        <Loaded query={query}>
          {({ pages }) => (
            <Stack>
              <DataTable
                label="Teams"
                rows={pages.flatMap(({ teams }) => teams)}
                keyOf={({ id }) => id}
                columns={[
                  {
                    title: 'Name',
                    phone: 'title',
                    render: ({ id, name }) => (id === shown ? `${name} (shown)` : name),
                  },
                  { title: 'Id', phone: 'detail', render: ({ id }) => <CopyId id={id} /> },
                  {
                    title: 'Your own id',
                    phone: 'line',
                    render: ({ integration_team_id: own }) => own ?? '–',
                  },
                  {
                    title: 'Created',
                    phone: 'aside',
                    render: ({ created_on: at }) => <TimeText value={at} />,
                  },
                  {
                    title: 'Actions',
                    phone: 'actions',
                    align: 'right',
                    render: (team) => (
                      <Group gap="xs" justify="flex-end" wrap="nowrap">
                        {team.id !== shown && (
                          <Button
                            size="compact-xs"
                            variant="default"
                            onClick={() => void navigate({ to: `/${team.id}/sandbox/home` })}
                          >
                            Open
                          </Button>
                        )}
                        {may('organization:delete') && (
                          <Button size="compact-xs" variant="default" onClick={() => setOpen(team)}>
                            Delete
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
      </Section>
      {open === 'create' && <CreateTeam region={region} onClose={() => setOpen(undefined)} />}
      {open === 'rename' && <RenameOrganization onClose={() => setOpen(undefined)} />}
      {typeof open === 'object' && <DeleteTeam team={open} onClose={() => setOpen(undefined)} />}
    </>
  );
}

const ORGANIZATION = '/v1/org/{org_id}';

interface OrganizationNameProps {
  readonly mayChange: boolean;
  readonly onRename: () => void;
}

function OrganizationName({ mayChange, onRename }: OrganizationNameProps) {
  const query = api.useQuery('get', ORGANIZATION, { params: { path: { org_id: useOrgId() } } });
  return (
    <Section
      title="Organization"
      actions={
        mayChange && (
          <Button size="xs" variant="default" onClick={onRename}>
            Rename
          </Button>
        )
      }
    >
      <Loaded query={query} lines={2}>
        {({ id, name, expires_at: expires }) => (
          <KeyValues
            rows={[
              ['Name', name],
              ['Organization id', <CopyId key="id" id={id} />],
              ...(expires === null
                ? []
                : ([['Expires', <TimeText key="at" value={expires} />]] as [string, ReactNode][])),
            ]}
          />
        )}
      </Loaded>
    </Section>
  );
}

function RenameOrganization({ onClose }: { readonly onClose: () => void }) {
  const path = { org_id: useOrgId() };
  const query = api.useQuery('get', ORGANIZATION, { params: { path } });
  const [name, setName] = useState(query.data?.name ?? '');
  return (
    <FormDialog
      title="Rename the organization"
      action="Rename"
      changes={[ORGANIZATION]}
      onClose={onClose}
      onSubmit={() => client.PATCH(ORGANIZATION, { params: { path }, body: { name: name.trim() } })}
    >
      <TextInput
        label="Name"
        required
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function CreateTeam({ region, onClose }: { readonly region: Team['region']; readonly onClose: () => void }) {
  const orgId = useOrgId();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const submit = async () => {
    await client.POST(PATH, { params: { path: { org_id: orgId } }, body: { name: name.trim(), region } });
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  };
  return (
    <FormDialog title="Create a team" action="Create" changes={[PATH]} onClose={onClose} onSubmit={submit}>
      <Text size="sm">
        A team has its own users, orders, keys and webhooks, in a sandbox and in production. Nothing of one
        team is visible in another.
      </Text>
      <TextInput
        label="Name"
        required
        maxLength={80}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function DeleteTeam({ team, onClose }: { readonly team: Team; readonly onClose: () => void }) {
  const orgId = useOrgId();
  const { teamId: shown } = useTenant();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const submit = async () => {
    if (typed !== team.name) throw new Error('That is not the name of the team.');
    await client.DELETE('/v1/org/{org_id}/team/{team_id}', {
      params: { path: { org_id: orgId, team_id: team.id } },
    });
    await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
    if (team.id === shown) await navigate({ to: '/' });
  };
  return (
    <FormDialog
      title={`Delete ${team.name}?`}
      action="Delete the team"
      isDangerous
      changes={[PATH]}
      onClose={onClose}
      onSubmit={submit}
    >
      <Text size="sm">
        Its keys and tokens become invalid at once, its webhooks receive nothing more, and the connections of
        its users are removed. Results of orders in progress are still received and stored. This cannot be
        undone.
      </Text>
      <TextInput
        label={`Type ${team.name} to confirm`}
        required
        autoComplete="off"
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
