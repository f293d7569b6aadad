import { Button, Group, Tabs } from '@mantine/core';
import { useState } from 'react';
import { IconPlus } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { PageFrame } from '../../components/page.tsx';
import { Brokers } from './brokers.tsx';
import { Catalog } from './catalog.tsx';
import { CreateInbox } from './create-inbox.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { Endpoints } from './endpoints.tsx';
import { Received } from './received.tsx';
import { TabList } from '../../components/tab-list.tsx';

export function Page() {
  const [{ tab = 'endpoints' }, setState] = useUrlState();
  const [isCreating, setCreating] = useState(false);
  const { org_id, team_id, environment } = useTeamParams();
  const may = usePermissions();
  const root = `/v1/org/${org_id}/team/${team_id}/${environment}`;
  const add = may('egress:write') && (
    <Button size="xs" leftSection={<IconPlus size={15} />} onClick={() => setCreating(true)}>
      Add endpoint
    </Button>
  );
  return (
    <PageFrame
      title="Webhooks"
      description="Events of this team, sent to your own service as signed messages or to your message broker."
      actions={add}
      calls={[
        { method: 'GET', path: `${root}/webhook` },
        { method: 'POST', path: `${root}/webhook`, body: { url: 'https://example.com/webhooks' } },
        { method: 'GET', path: `${root}/pipeline` },
        ...(environment === 'sandbox'
          ? [{ method: 'GET' as const, path: `${root}/webhook_inbox/request` }]
          : []),
      ]}
    >
      <Tabs
        value={tab}
        onChange={(value) => setState({ tab: value ?? undefined, event: undefined, received: undefined })}
        keepMounted={false}
      >
        <TabList>
          <Tabs.Tab value="endpoints">Endpoints</Tabs.Tab>
          {environment === 'sandbox' && may('delivery:read') && (
            <Tabs.Tab value="received">Received</Tabs.Tab>
          )}
          <Tabs.Tab value="brokers">Message brokers</Tabs.Tab>
          <Tabs.Tab value="catalog">Event catalog</Tabs.Tab>
        </TabList>
        <Tabs.Panel value="endpoints">
          <Endpoints
            action={
              <Group gap="xs" justify="center">
                {add}
                <CreateInbox />
              </Group>
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="received">
          <Received />
        </Tabs.Panel>
        <Tabs.Panel value="brokers">
          <Brokers />
        </Tabs.Panel>
        <Tabs.Panel value="catalog">
          <Catalog />
        </Tabs.Panel>
      </Tabs>
      {isCreating && <EndpointForm onClose={() => setCreating(false)} />}
    </PageFrame>
  );
}
