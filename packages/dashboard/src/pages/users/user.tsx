import { api } from '../../api/client.ts';
import { usePathParameter } from '../../base/tenant.ts';
import { PageFrame, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, KeyValues, TimeText } from '../../components/values.tsx';

export function Page() {
  const userId = usePathParameter('userId');
  const user = api.useQuery('get', '/v2/user/{user_id}', { params: { path: { user_id: userId } } });
  return (
    <PageFrame
      title={user.data?.client_user_id ?? 'User'}
      parents={[{ title: 'Users', path: 'users' }]}
      beside={<CopyId id={userId} />}
      calls={[{ method: 'GET', path: `/v2/user/${userId}` }]}
    >
      <Loaded query={user}>
        {(data) => (
          <Section title="Profile">
            <KeyValues rows={[['Created', <TimeText key="created" value={data.created_on} />]]} />
          </Section>
        )}
      </Loaded>
    </PageFrame>
  );
}
