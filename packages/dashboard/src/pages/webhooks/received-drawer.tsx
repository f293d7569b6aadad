import { Anchor, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useTenantPath } from '../../base/tenant.ts';
import { MessageDetailsDrawer } from '../../components/details-drawer.tsx';
import { Loaded } from '../../components/states.tsx';
import { CopyId, KeyValues, StatusBadge, TimeText } from '../../components/values.tsx';
import { HttpBody, HttpHeaders } from './http-message.tsx';
import { MessageEvent } from './message-event.tsx';
import { toSandbox } from './sandbox.ts';
import { SignatureBadge } from './signature-badge.tsx';

type Detail = components['schemas']['ReceivedWebhookDetail'];

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook_inbox/request/{received_id}';

interface ReceivedDrawerProps {
  readonly id: string;
  readonly endpointId: string;
  readonly onClose: () => void;
}

/** One request as it arrived. */
export const ReceivedDrawer = ({ id, endpointId, onClose }: ReceivedDrawerProps) => (
  <MessageDetailsDrawer title="Received request" onClose={onClose}>
    <Content id={id} endpointId={endpointId} />
  </MessageDetailsDrawer>
);

function Content({ id, endpointId }: Omit<ReceivedDrawerProps, 'onClose'>) {
  const path = { ...toSandbox(useTeamParams()), received_id: id };
  const request = api.useQuery('get', PATH, { params: { path } });
  return (
    <Loaded query={request} lines={10}>
      {(detail) => (
        <Stack>
          <MessageEvent messageId={detail.message_id} type={detail.event_type} />
          <KeyValues rows={rowsOf(detail)} />
          {detail.message_id !== null && (
            <DeliveriesLink endpointId={endpointId} messageId={detail.message_id} />
          )}
          <Title order={2}>Headers</Title>
          <HttpHeaders headers={detail.headers} />
          <Title order={2}>Body</Title>
          <HttpBody text={detail.body} />
        </Stack>
      )}
    </Loaded>
  );
}

const rowsOf = (detail: Detail) =>
  [
    ['Signature', <SignatureBadge key="signature" verification={detail.verification} />],
    ['Answered with', <StatusBadge key="answer" status={detail.answer} />],
    ['Message', detail.message_id && <CopyId key="message" id={detail.message_id} />],
    ['Received', <TimeText key="time" value={detail.received_at} />],
    ['Size', `${detail.size_bytes.toLocaleString()} bytes`],
  ] as const;

function DeliveriesLink({
  endpointId,
  messageId,
}: {
  readonly endpointId: string;
  readonly messageId: string;
}) {
  const pathOf = useTenantPath();
  return (
    <Anchor
      component={Link}
      to={pathOf(`webhooks/${endpointId}`)}
      search={{ message: messageId } as never}
      size="sm"
    >
      Attempts to deliver this message
    </Anchor>
  );
}
