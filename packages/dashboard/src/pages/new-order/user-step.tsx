import { Anchor, Button, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconSearch } from '../../base/icons.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { CopyId, TimeText } from '../../components/values.tsx';

type User = components['schemas']['ClientFacingUser'];

const SHOWN = 20;

interface UserStepProps {
  readonly userId: string | undefined;
  readonly onChoose: (userId: string) => void;
}

export function UserStep({ userId, onChoose }: UserStepProps) {
  const [text, setText] = useState('');
  const [searched] = useDebouncedValue(text.trim(), 200);
  const pathOf = useTenantPath();
  const first = api.useQuery(
    'get',
    '/v2/user',
    { params: { query: { offset: 0, limit: SHOWN } } },
    { enabled: searched === '' },
  );
  const found = api.useQuery(
    'get',
    '/v2/team/users/search',
    { params: { query: { query_id: searched } } },
    { enabled: searched !== '' },
  );
  const columns: readonly Column<User>[] = [
    { title: 'Client user id', render: (user) => user.client_user_id },
    { title: 'Id', render: (user) => <CopyId id={user.user_id} /> },
    { title: 'Created', render: (user) => <TimeText value={user.created_on} /> },
    {
      title: 'Choose',
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
  const table = (users: readonly User[]) => (
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
        placeholder="User id or client user id"
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
