import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { IconSearch } from '../../base/icons.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { addNames, findUsersQuery, UserName, type NamedUser } from '../../components/user-names.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';

const SHOWN = 20;

const FIRST_USERS = {
  queryKey: ['get', '/v2/user', { limit: SHOWN }, 'named'],
  queryFn: async () => {
    const { data } = await client.GET('/v2/user', { params: { query: { offset: 0, limit: SHOWN } } });
    return { users: await addNames(data?.users ?? []), total: data?.total ?? 0 };
  },
};

interface UserStepProps {
  readonly userId: string | undefined;
  readonly onChoose: (userId: string) => void;
}

export function UserStep({ userId, onChoose }: UserStepProps) {
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text.trim(), 200);
  const pathOf = useTenantPath();
  const first = useQuery({ ...FIRST_USERS, enabled: searched === '' });
  const found = useQuery({ ...findUsersQuery(searched), enabled: searched !== '' });
  const columns: readonly Column<NamedUser>[] = [
    { title: 'Name', phone: 'title', render: (user) => <UserName user={user} /> },
    { title: 'Client user id', phone: 'detail', render: (user) => user.client_user_id },
    { title: 'Id', render: (user) => <CopyId id={user.user_id} /> },
    { title: 'Created', phone: 'aside', render: (user) => <TimeText value={user.created_on} /> },
    {
      title: 'Choose',
      phone: 'state',
      align: 'right',
      render: (user) => (
        <Button
          size="compact-sm"
          variant={user.user_id === userId ? 'filled' : 'default'}
          onClick={() => onChoose(user.user_id)}
          aria-label={`Order for ${user.client_user_id}`}
        >
          {user.user_id === userId ? 'Chosen' : 'Choose'}
        </Button>
      ),
    },
  ];
  const table = (users: readonly NamedUser[]) => (
    <DataTable
      label="Users"
      columns={columns}
      rows={users}
      keyOf={(user) => user.user_id}
      empty={
        <EmptyState title={searched === '' ? 'No users yet' : 'No user found'} call="POST /v2/user">
          An order is for a user.{' '}
          <Anchor component={Link} to={pathOf('users')} inherit>
            Create one on the page of users
          </Anchor>
          .
        </EmptyState>
      }
    />
  );
  return (
    <Stack>
      <TextInput
        label="For which user?"
        placeholder="Name, user id or client user id"
        leftSection={<IconSearch size={16} />}
        value={text}
        onChange={(event) => setText(event.target.value)}
        autoComplete="off"
        maw={420}
      />
      {searched === '' ? (
        <Loaded query={first}>
          {({ users, total }) => (
            <Stack gap="xs">
              {table(users)}
              {total > users.length && (
                <Text size="xs">
                  The first {users.length} of {total} users. Search for the others.
                </Text>
              )}
            </Stack>
          )}
        </Loaded>
      ) : (
        <Loaded query={found}>{table}</Loaded>
      )}
    </Stack>
  );
}
