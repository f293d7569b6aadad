import { useOrgId, usePermissions, useTenant } from '../../base/tenant.ts';
import { PageFrame } from '../../components/page.tsx';
import { UrlTabs } from '../../components/url-tabs.tsx';
import { Brand } from './brand.tsx';
import { Physicians } from './physicians.tsx';
import { TeamGeneral } from './team-general.tsx';

export function Page() {
  const orgId = useOrgId();
  const { teamId, environment } = useTenant();
  const may = usePermissions();
  const isReader = may('organization:read');
  const path = `/v1/org/${orgId}/team/${teamId}`;
  return (
    <PageFrame
      title="Team settings"
      description={`How this team works in ${environment}. Sandbox and production have settings of their own.`}
      calls={[
        { title: 'Get the team and its settings', method: 'GET', path },
        {
          title: 'Change a setting',
          method: 'PATCH',
          path,
          body: { [environment]: { critical_result_escalation_minutes: 30 } },
        },
      ]}
    >
      <UrlTabs
        label="Team settings"
        tabs={[
          { value: 'general', label: 'General', isShown: isReader, render: () => <TeamGeneral /> },
          { value: 'brand', label: 'Brand', isShown: isReader, render: () => <Brand /> },
          {
            value: 'physicians',
            label: 'Physicians',
            isShown: may('team:read'),
            render: () => <Physicians />,
          },
        ]}
      />
    </PageFrame>
  );
}
