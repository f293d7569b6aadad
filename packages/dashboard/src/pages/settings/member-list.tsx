import { Badge, Group, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { IconSearch } from '../../base/icons.ts';
import { useOrgId } from '../../base/tenant.ts';
import { DataTable } from '../../components/data-table.tsx';
import { BY_CURSOR, LoadMore } from '../../components/load-more.tsx';
import { Loaded } from '../../components/states.tsx';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { describeRoles } from './role-names.ts';
import { useTeamNames } from './use-team-names.ts';

const PAUSE_MS = 250;

export function MemberList() {
  const orgId = useOrgId();
  const { nameOf } = useTeamNames();
  const self = useSession().data?.session.member.id;
  // Not in the URL: it may be the name of a person.
  const [text, setText] = useState('');
  const [search] = useDebouncedValue(text.trim(), PAUSE_MS);
  const query = api.useInfiniteQuery(
    'get',
    '/v1/org/{org_id}/member',
    {
      params: { path: { org_id: orgId }, query: search === '' ? {} : { search_query: search } },
    },
    BY_CURSOR,
  );
  return (
    <Stack>
      <TextInput
        aria-label="Search members"
        placeholder="Name or e-mail"
        data-search
        leftSection={<IconSearch size={15} />}
        maw={320}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Loaded query={query}>
        {({ pages }) => (
          <DataTable
            label="Members"
            rows={pages.flatMap(({ members }) => members)}
            keyOf={({ id }) => id}
            pathOf={({ id }) => `settings/members/${id}`}
            empty={<Text size="sm">No member matches.</Text>}
            columns={[
              {
                title: 'Name',
                phone: 'title',
                render: ({ id, name }) => (id === self ? `${name} (you)` : name),
              },
              { title: 'E-mail', phone: 'detail', render: ({ email }) => email },
              {
                title: 'Roles',
                phone: 'line',
                render: (member) => <Roles member={member} nameOf={nameOf} />,
              },
              {
                title: 'State',
                phone: 'state',
                render: ({ is_active: isActive }) => (
                  <StatusBadge status={isActive ? 'active' : 'deactivated'} />
                ),
              },
              { title: 'Since', phone: 'aside', render: ({ created_on: at }) => <TimeText value={at} /> },
            ]}
          />
        )}
      </Loaded>
      <LoadMore query={query} />
    </Stack>
  );
}

const SHOWN = 3;

export function Roles({
  member,
  nameOf,
}: {
  readonly member: Parameters<typeof describeRoles>[0];
  readonly nameOf: (id: string) => string;
}) {
  const roles = describeRoles(member, nameOf);
  if (roles.length === 0) return <Text size="sm">None</Text>;
  return (
    <Group gap={4}>
      {roles.slice(0, SHOWN).map((role) => (
        <Badge key={role} variant="default" tt="none" fw={500} radius="sm">
          {role}
        </Badge>
      ))}
      {roles.length > SHOWN && <Text size="xs">and {roles.length - SHOWN} more</Text>}
    </Group>
  );
}
