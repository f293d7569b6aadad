import { useOrganizationPermissions, useOrgId } from '../../base/tenant.ts';
import { PageFrame } from '../../components/page.tsx';
import { UrlTabs } from '../../components/url-tabs.tsx';
import { ManagementKeysLink } from './management-keys-link.tsx';
import { TeamList } from './team-list.tsx';

export function Page() {
  const orgId = useOrgId();
  const may = useOrganizationPermissions();
  return (
    <PageFrame
      title="Organization"
      description="Its teams, and the keys that manage all of them."
      calls={[
        { title: 'List the teams', method: 'GET', path: `/v1/org/${orgId}/team` },
        {
          title: 'Create a team',
          method: 'POST',
          path: `/v1/org/${orgId}/team`,
          body: { name: 'Clinic two', region: 'us' },
        },
        { title: 'List the management keys', method: 'GET', path: `/v1/org/${orgId}/management_key` },
      ]}
    >
      <UrlTabs
        label="Organization"
        tabs={[
          { value: 'teams', label: 'Teams', isShown: may('organization:read'), render: () => <TeamList /> },
          {
            value: 'keys',
            label: 'Management keys',
            isShown: may('management-keys:read'),
            render: () => <ManagementKeysLink />,
          },
        ]}
      />
    </PageFrame>
  );
}
