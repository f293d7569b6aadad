import { Alert, Button, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, type ComponentType } from 'react';
import { api, ApiError, client } from '../../api/client.ts';
import { usePathParameter, usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';
import { PageFrame } from '../../components/page.tsx';
import { Loaded, Loading } from '../../components/states.tsx';
import { useUserNames } from '../../components/user-names.tsx';
import { CopyId } from '../../components/values.tsx';
import { ProfileTab } from './profile-tab.tsx';
import type { TabProps } from './tab.ts';
import { UserActions } from './user-actions.tsx';
import { TabList } from '../../components/tab-list.tsx';

interface TabEntry {
  readonly name: string;
  readonly title: string;
  readonly permission: string;
  readonly View: ComponentType<TabProps>;
}

// prettier-ignore
const TABS: readonly TabEntry[] = [
  { name: 'profile', title: 'Profile', permission: 'users:read', View: ProfileTab },
  { name: 'timeline', title: 'Timeline', permission: 'orders:read', View: lazy(async () => ({ default: (await import('./timeline-tab.tsx')).TimelineTab })) },
  { name: 'orders', title: 'Orders', permission: 'orders:read', View: lazy(async () => ({ default: (await import('./orders-tab.tsx')).OrdersTab })) },
  { name: 'biomarkers', title: 'Biomarkers', permission: 'results:read', View: lazy(async () => ({ default: (await import('./biomarkers-tab.tsx')).BiomarkersTab })) },
  { name: 'reports', title: 'Lab reports', permission: 'results:read', View: lazy(async () => ({ default: (await import('./lab-reports-tab.tsx')).LabReportsTab })) },
  { name: 'wearables', title: 'Daily charts', permission: 'wearables:read', View: lazy(async () => ({ default: (await import('./daily-tab.tsx')).DailyTab })) },
  { name: 'connections', title: 'Connections', permission: 'connections:read', View: lazy(async () => ({ default: (await import('./connections-tab.tsx')).ConnectionsTab })) },
  { name: 'devices', title: 'Devices', permission: 'wearables:read', View: lazy(async () => ({ default: (await import('./devices-tab.tsx')).DevicesTab })) },
  { name: 'sources', title: 'Data sources', permission: 'connections:read', View: lazy(async () => ({ default: (await import('./sources-tab.tsx')).SourcesTab })) },
  { name: 'insurance', title: 'Insurance', permission: 'users:read', View: lazy(async () => ({ default: (await import('./insurance-tab.tsx')).InsuranceTab })) },
];

/** The title of the document has the client's id: the name of a person must not get into the history of the browser. */
export function Page() {
  const userId = usePathParameter('userId');
  const may = usePermissions();
  const [{ tab }, setUrl] = useUrlState();
  const user = api.useQuery('get', '/v2/user/{user_id}', { params: { path: { user_id: userId } } });
  const name = useUserNames([userId]).get(userId);
  const tabs = TABS.filter(({ permission }) => may(permission));
  const active = tabs.find(({ name }) => name === tab) ?? tabs[0];
  const isGone = user.error instanceof ApiError && user.error.status === 404;
  return (
    <PageFrame
      title={(user.data && name) ?? user.data?.client_user_id ?? 'User'}
      documentTitle={user.data?.client_user_id ?? 'User'}
      parents={[{ title: 'Users', path: 'users' }]}
      beside={<CopyId id={userId} />}
      actions={user.data && <UserActions user={user.data} />}
      calls={[{ method: 'GET', path: `/v2/user/${userId}` }]}
    >
      {isGone ? (
        <DeletedUser userId={userId} />
      ) : (
        <Loaded query={user}>
          {(data) => (
            <Tabs
              value={active?.name ?? null}
              onChange={(name) =>
                setUrl({ tab: name ?? undefined, range: undefined, marker: undefined }, { replace: false })
              }
              keepMounted={false}
            >
              <TabList>
                {tabs.map(({ name, title }) => (
                  <Tabs.Tab key={name} value={name}>
                    {title}
                  </Tabs.Tab>
                ))}
              </TabList>
              {tabs.map(({ name, View }) => (
                <Tabs.Panel key={name} value={name}>
                  <Suspense fallback={<Loading />}>
                    <View user={data} />
                  </Suspense>
                </Tabs.Panel>
              ))}
            </Tabs>
          )}
        </Loaded>
      )}
    </PageFrame>
  );
}

function DeletedUser({ userId }: { readonly userId: string }) {
  const mayWrite = usePermissions()('users:write');
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () => client.POST('/v2/user/undo_delete', { params: { query: { user_id: userId } } }),
    onSuccess: async () => {
      tellDone('The user is restored');
      await queries.invalidateQueries({ queryKey: ['get'] });
    },
    onError: tellError,
  });
  return (
    <Alert color="gray" title="This user is not here">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">
          The user was deleted, or belongs to another team or environment. A deletion can be undone for seven
          days.
        </Text>
        {mayWrite && (
          <Button variant="default" loading={restore.isPending} onClick={() => restore.mutate()}>
            Undo the deletion
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
