import { Alert, Button, Code, Group, Stack, Tabs } from '@mantine/core';
import { api, client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { IconRefresh } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { MessageDetailsDrawer } from '../../components/details-drawer.tsx';
import { Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { FhirTree } from './fhir-tree.tsx';
import { Hl7View } from './hl7-view.tsx';
import { TabList } from '../../components/tab-list.tsx';

type Detail = components['schemas']['LabMessageWithBody'];

const PATH =
  '/v1/org/{org_id}/team/{team_id}/{environment}/lab_connection/{lab_connection_id}/message/{lab_message_id}';
const LIST = '/v1/org/{org_id}/team/{team_id}/{environment}/lab_connection/{lab_connection_id}/message';

interface MessageDrawerProps {
  readonly connectionId: string;
  readonly messageId: string;
  readonly onClose: () => void;
}

export const MessageDrawer = ({ connectionId, messageId, onClose }: MessageDrawerProps) => (
  <MessageDetailsDrawer title="Laboratory message" onClose={onClose}>
    <Content connectionId={connectionId} messageId={messageId} />
  </MessageDetailsDrawer>
);

function Content({ connectionId, messageId }: Omit<MessageDrawerProps, 'onClose'>) {
  const path = { ...useTeamParams(), lab_connection_id: connectionId, lab_message_id: messageId };
  const message = api.useQuery('get', PATH, { params: { path } });
  const may = usePermissions();
  const { isBusy, run } = useAction([PATH, LIST]);
  const retry = () =>
    run(() => client.POST(`${PATH}/retry`, { params: { path } }), 'The message is tried again');
  return (
    <Loaded query={message} lines={10}>
      {(detail) => (
        <Stack>
          <Group justify="space-between">
            <StatusBadge status={detail.status} />
            {may('delivery:retry') && (detail.status === 'dead' || detail.status === 'refused') && (
              <Button
                size="xs"
                leftSection={<IconRefresh size={15} />}
                loading={isBusy}
                onClick={() => void retry()}
              >
                Try again
              </Button>
            )}
          </Group>
          {detail.reason !== null && (
            <Alert color={detail.status === 'dead' || detail.status === 'refused' ? 'red' : 'gray'}>
              {detail.reason}
            </Alert>
          )}
          <KeyValues
            rows={[
              ['Type', detail.message_type],
              ['Control id', <CopyId key="control" id={detail.control_id} />],
              ['Answer', detail.answer],
              ['Attempts', detail.attempts],
              [
                'Order',
                detail.order_id && (
                  <CopyId key="order" id={detail.order_id} path={`orders/${detail.order_id}`} />
                ),
              ],
              ['Size', `${detail.size_bytes.toLocaleString()} bytes`],
              ['Arrived', <TimeText key="arrived" value={detail.created_at} />],
              ['Done', <TimeText key="done" value={detail.done_at} />],
              ['Redacted', <TimeText key="redacted" value={detail.redacted_at} />],
            ]}
          />
          <Body detail={detail} />
        </Stack>
      )}
    </Loaded>
  );
}

const Body = ({ detail }: { readonly detail: Detail }) => (
  <Tabs defaultValue="read" keepMounted={false}>
    <TabList mb="sm">
      <Tabs.Tab value="read">{detail.format === 'hl7' ? 'Segments' : 'Tree'}</Tabs.Tab>
      <Tabs.Tab value="raw">As it is</Tabs.Tab>
    </TabList>
    <Tabs.Panel value="read">
      {detail.format === 'hl7' ? <Hl7View text={detail.text} /> : <FhirTree text={detail.text} />}
    </Tabs.Panel>
    <Tabs.Panel value="raw">
      <Code block mah={520} style={{ overflow: 'auto' }} tabIndex={0}>
        {detail.text.replaceAll('\r\n', '\n').replaceAll('\r', '\n')}
      </Code>
    </Tabs.Panel>
  </Tabs>
);
