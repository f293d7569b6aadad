import { Badge, Button, Group, Menu, SimpleGrid, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconDots, IconSend } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useGoTo, usePathParameter, usePermissions } from '../../base/tenant.ts';
import { useUrlState } from '../../base/url-state.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import { PageFrame, Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { AttemptLog } from './attempt-log.tsx';
import { CustomHeaders } from './custom-headers.tsx';
import { DeliveryCharts } from './delivery-charts.tsx';
import { EndpointForm } from './endpoint-form.tsx';
import { ReplayForm } from './replay-form.tsx';
import { Secret } from './secret.tsx';
import { TestForm } from './test-form.tsx';

type Webhook = components['schemas']['Webhook'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';

export function Page() {
  const id = usePathParameter('webhookId');
  const path = { ...useTeamParams(), webhook_id: id };
  const endpoint = api.useQuery('get', PATH, { params: { path } });
  const may = usePermissions();
  const root = `/v1/org/${path.org_id}/team/${path.team_id}/${path.environment}/webhook/${id}`;
  const data = endpoint.data;
  return (
    <PageFrame
      title={data?.description || 'Endpoint'}
      parents={[{ title: 'Webhooks', path: 'webhooks' }]}
      beside={
        <>
          {data && <StatusBadge status={data.disabled ? 'disabled' : 'active'} />}
          <CopyId id={id} />
        </>
      }
      actions={data && <Actions endpoint={data} />}
      calls={[
        { method: 'GET', path: root },
        { method: 'GET', path: `${root}/attempt` },
        { method: 'POST', path: `${root}/test`, body: { event_type: 'labtest.order.created' } },
        { method: 'POST', path: `${root}/recover`, body: { since: '2026-01-15T00:00:00Z' } },
      ]}
    >
      <Loaded query={endpoint} lines={10}>
        {(loaded) => (
          <Stack gap="lg">
            <SimpleGrid cols={{ base: 1, lg: 2 }}>
              <Section title="Settings">
                <Settings endpoint={loaded} />
              </Section>
              <Stack>
                {may('webhook-secrets:read') && <Secret endpointId={id} />}
                {may('settings:read') && <CustomHeaders endpointId={id} />}
              </Stack>
            </SimpleGrid>
            <DeliveryCharts endpointId={id} />
            <AttemptLog endpointId={id} />
          </Stack>
        )}
      </Loaded>
    </PageFrame>
  );
}

const Settings = ({ endpoint }: { readonly endpoint: Webhook }) => (
  <KeyValues
    rows={[
      ['URL', endpoint.url],
      ['Events', <Types key="types" types={endpoint.filter_types} />],
      ['Rate limit', endpoint.rate_limit === null ? 'None' : `${endpoint.rate_limit} messages a second`],
      ['Created', <TimeText key="created" value={endpoint.created_at} />],
      ['Changed', <TimeText key="updated" value={endpoint.updated_at} />],
    ]}
  />
);

const Types = ({ types }: { readonly types: readonly string[] | null }) =>
  types === null || types.length === 0 ? (
    <Text size="sm">All events</Text>
  ) : (
    <Group gap={4}>
      {types.map((type) => (
        <Badge key={type} variant="light" color="gray" tt="none" fw={500} radius="sm">
          {type}
        </Badge>
      ))}
    </Group>
  );

function Actions({ endpoint }: { readonly endpoint: Webhook }) {
  const may = usePermissions();
  const goTo = useGoTo();
  const queries = useQueryClient();
  const path = { ...useTeamParams(), webhook_id: endpoint.id };
  const [opened, setOpened] = useState<'edit' | 'test' | 'replay'>();
  const close = () => setOpened(undefined);
  const [, setState] = useUrlState();
  const showAttempts = (messageId: string | undefined) => {
    setState({ message: messageId, outcome: undefined });
    // The attempt is in the log when the endpoint has answered.
    setTimeout(() => void queries.invalidateQueries({ queryKey: ['get', `${PATH}/attempt`] }), 1200);
  };
  const change = useMutation({
    mutationFn: (disabled: boolean) => client.PATCH(PATH, { params: { path }, body: { disabled } }),
    onSuccess: async (_, disabled) => {
      await queries.invalidateQueries({ queryKey: ['get', PATH] });
      tellDone(disabled ? 'Endpoint disabled. Messages wait for it.' : 'Endpoint enabled');
    },
    onError: tellError,
  });
  const remove = async () => {
    try {
      await client.DELETE(PATH, { params: { path } });
      tellDone('Endpoint deleted');
      goTo('webhooks');
    } catch (error) {
      tellError(error);
    }
  };
  const toggle = () =>
    endpoint.disabled
      ? change.mutate(false)
      : confirm({
          title: 'Disable this endpoint?',
          text: 'Nothing is sent while it is disabled. Messages wait and are sent when it is enabled again.',
          action: 'Disable',
          run: () => change.mutate(true),
        });
  return (
    <>
      {may('delivery:retry') && (
        <Button size="xs" leftSection={<IconSend size={15} />} onClick={() => setOpened('test')}>
          Send test event
        </Button>
      )}
      {(may('egress:write') || may('delivery:retry')) && (
        <Menu position="bottom-end" width={220}>
          <Menu.Target>
            <Button size="xs" variant="default" aria-label="More actions" px="xs" loading={change.isPending}>
              <IconDots size={16} />
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            <Menu.Item disabled={!may('egress:write')} onClick={() => setOpened('edit')}>
              Edit
            </Menu.Item>
            <Menu.Item disabled={!may('egress:write')} onClick={toggle}>
              {endpoint.disabled ? 'Enable' : 'Disable'}
            </Menu.Item>
            <Menu.Item disabled={!may('delivery:retry')} onClick={() => setOpened('replay')}>
              Send again from a time
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item
              color="red"
              disabled={!may('egress:write')}
              onClick={() =>
                confirm({
                  title: 'Delete this endpoint?',
                  text: `Nothing is sent to ${endpoint.url} any more, and its delivery log is deleted. This cannot be undone.`,
                  action: 'Delete endpoint',
                  isDangerous: true,
                  run: remove,
                })
              }
            >
              Delete
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      )}
      {opened === 'edit' && <EndpointForm endpoint={endpoint} onClose={close} />}
      {opened === 'test' && <TestForm endpoint={endpoint} onClose={close} onSent={showAttempts} />}
      {opened === 'replay' && <ReplayForm endpointId={endpoint.id} onClose={close} />}
    </>
  );
}
