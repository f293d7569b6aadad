import { Tabs } from '@mantine/core';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { PageFrame } from '../../components/page.tsx';
import { CommandLine } from './command-line.tsx';
import { Keys } from './keys.tsx';
import { ManagementKeys } from './management-keys.tsx';
import { QuickStart } from './quick-start.tsx';
import { Sandbox } from './sandbox.tsx';
import { TabList } from '../../components/tab-list.tsx';

/** What a developer needs to call the API: keys, first steps, the sandbox, the command line. */
export function Page() {
  const may = usePermissions();
  const { org_id, team_id, environment } = useTeamParams();
  const [{ tab = may('keys:read') ? 'keys' : 'start' }, setState] = useUrlState();
  return (
    <PageFrame
      title="Keys and sandbox"
      description="Keys, first steps, and the tools to try everything before it is real."
      calls={[
        { method: 'GET', path: `/v1/org/${org_id}/team_api_keys/${environment}/us`, query: { team_id } },
        {
          method: 'POST',
          path: `/v1/org/${org_id}/team_api_keys/${environment}/us`,
          body: { label: 'My service', team_id },
        },
      ]}
    >
      <Tabs value={tab} onChange={(value) => setState({ tab: value ?? undefined })} keepMounted={false}>
        <TabList>
          {may('keys:read') && <Tabs.Tab value="keys">API keys</Tabs.Tab>}
          <Tabs.Tab value="start">Quick start</Tabs.Tab>
          {environment === 'sandbox' && <Tabs.Tab value="sandbox">Sandbox</Tabs.Tab>}
          <Tabs.Tab value="cli">Command line</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="keys">
          <Keys />
          <ManagementKeys />
        </Tabs.Panel>
        <Tabs.Panel value="start">
          <QuickStart />
        </Tabs.Panel>
        <Tabs.Panel value="sandbox">
          <Sandbox />
        </Tabs.Panel>
        <Tabs.Panel value="cli">
          <CommandLine />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  );
}
