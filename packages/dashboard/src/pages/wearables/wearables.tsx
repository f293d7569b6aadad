import { usePermissions } from '../../base/tenant.ts';
import { PageFrame } from '../../components/page.tsx';
import { UrlTabs } from '../../components/url-tabs.tsx';
import { BulkOperations } from './bulk-operations.tsx';
import { Connections } from './connections.tsx';
import { Credentials } from './credentials.tsx';
import { FileImport } from './file-import.tsx';
import { HistoricalPulls } from './historical-pulls.tsx';
import { TryLink } from './try-link.tsx';

/** Devices and providers of all users: what is connected, what was pulled, and the ways to connect more. */
export function Page() {
  const may = usePermissions();
  return (
    <PageFrame
      title="Wearables"
      description="Data of devices and apps: connections, the history that is fetched when one is made, and files."
      calls={[
        { title: 'Connections and their data', method: 'GET', path: '/v2/introspect/resources' },
        { title: 'Historical pulls', method: 'GET', path: '/v2/introspect/historical_pull' },
        { title: 'A link for a user', method: 'POST', path: '/v2/link/token', body: { user_id: 'USER_ID' } },
      ]}
    >
      <UrlTabs
        label="Wearables"
        tabs={[
          { value: 'connections', label: 'Connections', render: () => <Connections /> },
          { value: 'pulls', label: 'Historical pulls', render: () => <HistoricalPulls /> },
          { value: 'bulk', label: 'Bulk operations', render: () => <BulkOperations /> },
          {
            value: 'credentials',
            label: 'Provider credentials',
            isShown: may('settings:read'),
            render: () => <Credentials />,
          },
          {
            value: 'link',
            label: 'Try the link page',
            isShown: may('connections:write'),
            render: () => <TryLink />,
          },
          {
            value: 'files',
            label: 'Import a file',
            isShown: may('wearables:write'),
            render: () => <FileImport />,
          },
        ]}
      />
    </PageFrame>
  );
}
