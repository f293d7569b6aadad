import { ActionIcon, Button, Menu } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { client } from '../../api/client.ts';
import { IconDots, IconPlus, IconRefresh, IconTrash } from '../../base/icons.ts';
import { useGoTo, usePermissions } from '../../base/tenant.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import type { User } from './tab.ts';

export function UserActions({ user }: { readonly user: User }) {
  const goTo = useGoTo();
  const may = usePermissions();
  const queries = useQueryClient();
  const params = { path: { user_id: user.user_id } };
  const remove = useMutation({
    mutationFn: () => client.DELETE('/v2/user/{user_id}', { params }),
    onSuccess: async () => {
      tellDone('The user is deleted. This page can undo it for seven days.');
      await queries.invalidateQueries({ queryKey: ['get'] });
    },
    onError: tellError,
  });
  const refresh = useMutation({
    mutationFn: () => client.POST('/v2/user/refresh/{user_id}', { params }),
    onSuccess: async ({ data }) => {
      const failed = data?.failed_sources ?? [];
      tellDone(
        failed.length === 0 ? 'The newest data are here' : `These sources failed: ${failed.join(', ')}`,
      );
      await queries.invalidateQueries({ queryKey: ['get'] });
    },
    onError: tellError,
  });
  const askToRemove = () =>
    confirm({
      title: 'Delete this user?',
      text: 'Tokens of the user are revoked and visits of the next days are cancelled. The deletion can be undone for seven days; after that all data of the user are erased.',
      action: 'Delete user',
      isDangerous: true,
      run: () => remove.mutate(),
    });
  const hasMenu = may('users:write') || may('connections:write');
  return (
    <>
      {may('orders:write') && (
        <Button
          leftSection={<IconPlus size={16} />}
          size="xs"
          onClick={() => goTo('orders/new', { user_id: user.user_id })}
        >
          New order
        </Button>
      )}
      {hasMenu && (
        <Menu position="bottom-end" width={220}>
          <Menu.Target>
            <ActionIcon
              variant="default"
              size={30}
              aria-label="More actions"
              loading={remove.isPending || refresh.isPending}
            >
              <IconDots size={16} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {may('connections:write') && (
              <Menu.Item leftSection={<IconRefresh size={16} />} onClick={() => refresh.mutate()}>
                Fetch newest device data
              </Menu.Item>
            )}
            {may('users:write') && (
              <Menu.Item color="red" leftSection={<IconTrash size={16} />} onClick={askToRemove}>
                Delete user
              </Menu.Item>
            )}
          </Menu.Dropdown>
        </Menu>
      )}
    </>
  );
}
