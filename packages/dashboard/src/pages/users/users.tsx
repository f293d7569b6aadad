import { Badge, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { IconPlus, IconSearch } from '../../base/icons.ts';
import { usePermissions, useTenant } from '../../base/tenant.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { PageFrame } from '../../components/page.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { addNames, findUsersQuery, UserName, type NamedUser } from '../../components/user-names.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';
import { CreateUser } from './create-user.tsx';
import { MakeSampleUser } from './sample-user.tsx';

const SHOWN_SOURCES = 3;
const PAGE_SIZE = 50;

const COLUMNS: readonly Column<NamedUser>[] = [
  { title: 'Name', phone: 'title', render: (user) => <UserName user={user} />, width: 'minmax(140px, 2fr)' },
  {
    title: 'Client user id',
    phone: 'detail',
    render: (user) => user.client_user_id,
    width: 'minmax(110px, 1fr)',
  },
  { title: 'Id', render: (user) => <CopyId id={user.user_id} />, width: 125 },
  {
    title: 'Connected sources',
    phone: 'state',
    render: (user) => <Sources user={user} />,
    width: 'minmax(130px, 2fr)',
  },
  { title: 'Created', phone: 'aside', render: (user) => <TimeText value={user.created_on} />, width: 165 },
];

function Sources({ user }: { readonly user: NamedUser }) {
  const names = user.connected_sources.map(({ source }) => source.name);
  if (names.length === 0) return <Text span>–</Text>;
  return (
    <Group gap={4} wrap="nowrap">
      {names.slice(0, SHOWN_SOURCES).map((name) => (
        <Badge key={name} variant="default" tt="none" fw={500} radius="sm">
          {name}
        </Badge>
      ))}
      {names.length > SHOWN_SOURCES && <Text size="xs">+{names.length - SHOWN_SOURCES}</Text>}
    </Group>
  );
}

/** The text that is searched stays in the memory of the page: a client user id may be a name. */
export function Page() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text.trim(), 200);
  const mayWrite = usePermissions()('users:write');
  const { environment } = useTenant();
  const create = mayWrite && (
    <Button size="xs" leftSection={<IconPlus size={15} />} onClick={open}>
      Create user
    </Button>
  );
  const buttons = (
    <Group gap="xs" justify="center">
      {create}
      {mayWrite && environment === 'sandbox' && <MakeSampleUser />}
    </Group>
  );
  return (
    <PageFrame
      title="Users"
      actions={create}
      calls={[
        {
          title: 'List users',
          method: 'GET',
          path: '/v2/user',
          query: { offset: '0', limit: String(PAGE_SIZE) },
        },
        { title: 'Their names', method: 'GET', path: '/v1/users/names', query: { user_id: 'USER_ID' } },
        {
          title: 'Find a user',
          method: 'GET',
          path: '/v2/team/users/search',
          query: { query_id: 'patient-001' },
        },
        { title: 'Create a user', method: 'POST', path: '/v2/user', body: { client_user_id: 'patient-001' } },
      ]}
    >
      <TextInput
        aria-label="Search users"
        placeholder="Search by name, user id or client user id"
        data-search
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => setText(event.target.value)}
        maw={420}
        autoComplete="off"
      />
      {searched === '' ? (
        <PagedTable
          label="Users"
          columns={COLUMNS}
          keyOf={(user) => user.user_id}
          pathOf={(user) => `users/${user.user_id}`}
          pageSize={PAGE_SIZE}
          queryKey={['get', '/v2/user']}
          fetchPage={async (page) => {
            const query = { offset: (page - 1) * PAGE_SIZE, limit: PAGE_SIZE };
            const { data } = await client.GET('/v2/user', { params: { query } });
            return { rows: await addNames(data?.users ?? []), total: data?.total ?? 0 };
          }}
          empty={
            <EmptyState title="No users yet" call="POST /v2/user" action={buttons}>
              A user is a person whose tests you order and whose devices you connect. You name the user by an
              id of your own; names and birth dates come with the demographics.
            </EmptyState>
          }
        />
      ) : (
        <Found text={searched} />
      )}
      <CreateUser isOpen={isOpen} onClose={close} />
    </PageFrame>
  );
}

function Found({ text }: { readonly text: string }) {
  const found = useQuery(findUsersQuery(text));
  return (
    <Loaded query={found}>
      {(users) => (
        <Stack gap="xs">
          <DataTable
            label="Users found"
            columns={COLUMNS.map(({ title, phone, render }) => ({ title, render, ...(phone && { phone }) }))}
            pathOf={(user) => `users/${user.user_id}`}
            rows={users}
            keyOf={(user) => user.user_id}
            empty={
              <EmptyState title="No user found">
                The search compares the user id, the client user id, and the beginnings of the names of
                patients on orders. A user without an order is not found by name.
              </EmptyState>
            }
          />
        </Stack>
      )}
    </Loaded>
  );
}
