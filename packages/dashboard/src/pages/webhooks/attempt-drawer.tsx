import { Button, Code, Group, Stack, Tabs, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconRefresh } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { tellDone, tellError } from '../../components/confirm.tsx';
import { MessageDetailsDrawer } from '../../components/details-drawer.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { HttpBody, HttpHeaders } from './http-message.tsx';
import { MessageEvent } from './message-event.tsx';
import { TabList } from '../../components/tab-list.tsx';

type Detail = components['schemas']['WebhookAttemptDetail'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';

interface AttemptDrawerProps {
  readonly endpointId: string;
  readonly attemptId: string;
  readonly onClose: () => void;
}

/** One attempt: the request as it was sent and the answer. */
export const AttemptDrawer = ({ endpointId, attemptId, onClose }: AttemptDrawerProps) => (
  <MessageDetailsDrawer title="Delivery attempt" onClose={onClose}>
    <Content endpointId={endpointId} attemptId={attemptId} />
  </MessageDetailsDrawer>
);

function Content({ endpointId, attemptId }: Omit<AttemptDrawerProps, 'onClose'>) {
  const path = { ...useTeamParams(), webhook_id: endpointId };
  const attempt = api.useQuery('get', `${PATH}/attempt/{attempt_id}`, {
    params: { path: { ...path, attempt_id: attemptId } },
  });
  return (
    <Loaded query={attempt} lines={10}>
      {(detail) => (
        <Stack>
          <Group justify="space-between">
            <StatusBadge status={detail.status} />
            <Resend endpointId={endpointId} messageId={detail.message_id} />
          </Group>
          <MessageEvent messageId={detail.message_id} type={detail.event_type} />
          <KeyValues
            rows={[
              ['Message', <CopyId key="message" id={detail.message_id} />],
              ['Attempt', detail.attempt],
              ['Time', <TimeText key="time" value={detail.at} />],
              ['Status code', detail.status_code],
              ['Error', detail.error],
              ['Duration', `${detail.duration_ms.toLocaleString()} ms`],
            ]}
          />
          <Bodies detail={detail} />
        </Stack>
      )}
    </Loaded>
  );
}

const Bodies = ({ detail }: { readonly detail: Detail }) => (
  <Tabs defaultValue="request">
    <TabList mb="sm">
      <Tabs.Tab value="request">Request</Tabs.Tab>
      <Tabs.Tab value="response">Response</Tabs.Tab>
    </TabList>
    <Tabs.Panel value="request">
      {detail.request ? (
        <Stack gap="sm">
          <Code block>POST {detail.request.url}</Code>
          <HttpHeaders headers={detail.request.headers} />
          <HttpBody text={detail.request.body} />
        </Stack>
      ) : (
        <Text size="sm" c="dimmed">
          The request is no longer kept.
        </Text>
      )}
    </Tabs.Panel>
    <Tabs.Panel value="response">
      <Stack gap="sm">
        <HttpHeaders headers={detail.response_headers} />
        <HttpBody text={detail.response} />
      </Stack>
    </Tabs.Panel>
  </Tabs>
);

function Resend({ endpointId, messageId }: { readonly endpointId: string; readonly messageId: string }) {
  const may = usePermissions();
  const queries = useQueryClient();
  const path = { ...useTeamParams(), webhook_id: endpointId, message_id: messageId };
  const resend = useMutation({
    mutationFn: () => client.POST(`${PATH}/message/{message_id}/resend`, { params: { path } }),
    onSuccess: () => {
      tellDone('Message sent again');
      setTimeout(() => void queries.invalidateQueries({ queryKey: ['get', `${PATH}/attempt`] }), 1200);
    },
    onError: tellError,
  });
  if (!may('delivery:retry')) return null;
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={15} />}
      loading={resend.isPending}
      onClick={() => resend.mutate()}
    >
      Send again
    </Button>
  );
}
