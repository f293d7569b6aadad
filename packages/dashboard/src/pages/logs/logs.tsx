import { Tabs } from '@mantine/core';
import { useTeamParams } from '../../base/organization.ts';
import { useUrlState } from '../../base/url-state.ts';
import { PageFrame } from '../../components/page.tsx';
import { AccessLog } from './access-log.tsx';
import { AuditLog } from './audit-log.tsx';
import { TabList } from '../../components/tab-list.tsx';

const CLEARED = {
  actor: undefined,
  action: undefined,
  operation: undefined,
  key: undefined,
  line: undefined,
};

/** Who changed what, and who saw what: the two logs that nobody can rewrite unseen. */
export function Page() {
  const [{ tab = 'audit' }, setState] = useUrlState();
  const { org_id, team_id, environment } = useTeamParams();
  return (
    <PageFrame
      title="Audit and access"
      description="Who changed what, and who saw whose data. Lines are never changed; they are chained or sealed by digests."
      calls={[
        { method: 'GET', path: `/v1/org/${org_id}/audit_log`, query: { team_id } },
        { method: 'GET', path: `/v1/org/${org_id}/team/${team_id}/${environment}/access_log` },
      ]}
    >
      <Tabs
        value={tab}
        onChange={(value) => setState({ ...CLEARED, tab: value ?? undefined })}
        keepMounted={false}
      >
        <TabList>
          <Tabs.Tab value="audit">Audit log</Tabs.Tab>
          <Tabs.Tab value="access">Access log</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="audit">
          <AuditLog />
        </Tabs.Panel>
        <Tabs.Panel value="access">
          <AccessLog />
        </Tabs.Panel>
      </Tabs>
    </PageFrame>
  );
}
