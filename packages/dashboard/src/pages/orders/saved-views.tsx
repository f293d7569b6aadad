import { ActionIcon, Button, Group, Menu, Stack, Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { api, client } from '../../api/client.ts';
import { IconChevronDown, IconTrash } from '../../base/icons.ts';
import { useUrlState } from '../../base/url-state.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';

const PAGE = 'orders';

/** The filters that the member keeps under a name. They are those of the URL, so that no patient is named in them. */
export function SavedViews() {
  const [filters, setFilters] = useUrlState();
  const queries = useQueryClient();
  const views = api.useQuery('get', '/v1/saved-views', { params: { query: { page: PAGE } } });
  const rows = views.data?.data ?? [];
  const remove = useMutation({
    mutationFn: (id: string) =>
      client.DELETE('/v1/saved-views/{saved_view_id}', { params: { path: { saved_view_id: id } } }),
    onSuccess: () => tellDone('The view is removed'),
    onError: tellError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['get', '/v1/saved-views'] }),
  });
  const open = (saved: (typeof rows)[number]['filters']) => {
    const cleared = Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
    const chosen = Object.fromEntries(Object.entries(saved).map(([name, value]) => [name, String(value)]));
    setFilters({ ...cleared, ...chosen });
  };
  const save = () => void modals.open({ title: 'Save this view', children: <SaveView filters={filters} /> });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default" rightSection={<IconChevronDown size={14} />}>
          Views
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {rows.map(({ id, name, filters: saved }) => (
          <Group key={id} gap={0} wrap="nowrap">
            <Menu.Item onClick={() => open(saved)}>{name}</Menu.Item>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove ${name}`}
              onClick={() => remove.mutate(id)}
            >
              <IconTrash size={14} />
            </ActionIcon>
          </Group>
        ))}
        {rows.length === 0 && <Menu.Label>No saved views yet</Menu.Label>}
        <Menu.Divider />
        <Menu.Item onClick={save} disabled={Object.keys(filters).length === 0}>
          Save the filters of now
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function SaveView({ filters }: { readonly filters: Readonly<Record<string, string>> }) {
  const [name, setName] = useState('');
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: () => client.POST('/v1/saved-views', { body: { page: PAGE, name, filters } }),
    onSuccess: () => {
      tellDone('The view is saved');
      modals.closeAll();
    },
    onError: tellError,
    onSettled: () => queries.invalidateQueries({ queryKey: ['get', '/v1/saved-views'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TextInput
          label="Name"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          required
          data-autofocus
        />
        <Text size="xs" c="dimmed">
          Only you see it. The search text is not part of it.
        </Text>
        <Button type="submit" loading={save.isPending}>
          Save
        </Button>
      </Stack>
    </form>
  );
}
