import { useOrgId, usePermissions, useTenant } from '../../base/tenant.ts';
import { PageFrame } from '../../components/page.tsx';
import { UrlTabs } from '../../components/url-tabs.tsx';
import { Backups } from './backups.tsx';
import { BreakGlass } from './break-glass.tsx';
import { DataKey } from './data-key.tsx';
import { Retention } from './retention.tsx';
import { Sweeps } from './retention-sweeps.tsx';

export function Page() {
  const { teamId, environment } = useTenant();
  const may = usePermissions();
  const team = `/v1/org/${useOrgId()}/team/${teamId}/${environment}`;
  return (
    <PageFrame
      title="Data protection"
      description={`How long data of ${environment} are kept, who may see them in an emergency, and how they are encrypted.`}
      calls={[
        {
          title: 'Set how long data are kept',
          method: 'PATCH',
          path: `${team}/retention`,
          body: { events: 90 },
        },
        {
          title: 'Open break-glass access',
          method: 'POST',
          path: `${team}/break_glass`,
          body: { reason: 'Incident 42: a result does not arrive' },
        },
        { title: 'Rotate the data key', method: 'POST', path: `${team}/data_key/rotate` },
      ]}
    >
      <UrlTabs
        label="Data protection"
        tabs={[
          {
            value: 'retention',
            label: 'Retention',
            isShown: may('retention:read'),
            render: () => (
              <>
                <Retention />
                <Sweeps />
              </>
            ),
          },
          {
            value: 'break-glass',
            label: 'Break-glass',
            isShown: may('break-glass:read'),
            render: () => <BreakGlass />,
          },
          { value: 'data-key', label: 'Data key', isShown: may('data-keys:read'), render: () => <DataKey /> },
          { value: 'backups', label: 'Backups', render: () => <Backups /> },
        ]}
      />
    </PageFrame>
  );
}
