import { Text } from '@mantine/core';
import { api } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { CausedBy } from '../../components/caused-by.tsx';
import { EventLink } from '../../components/event-link.tsx';
import { KeyValues } from '../../components/values.tsx';

/** What others sent to an inbox can have any id. */
const EVENT_OF_MESSAGE = /^msg_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

interface MessageEventProps {
  /** The webhook-id of the message; null if it came without one. */
  readonly messageId: string | null;
  readonly type: string | null;
}

/** The event that a message sends, and the request that caused it. Test messages are not in the event log. */
export function MessageEvent({ messageId, type }: MessageEventProps) {
  const path = useTeamParams();
  const id = EVENT_OF_MESSAGE.exec(messageId ?? '')?.[1];
  const events = api.useQuery(
    'get',
    '/v1/org/{org_id}/team/{team_id}/{environment}/event',
    { params: { path, query: { id: id ?? '', limit: 1 } } },
    { enabled: id !== undefined },
  );
  const event = events.data?.data[0];
  const missing = events.isLoading ? '…' : 'Not in the event log: a test message, or no longer kept';
  return (
    <KeyValues
      rows={[
        ['Event', event ? <EventLink key="event" type={event.event_type} position={event.position} /> : type],
        [
          'Caused by',
          event ? (
            <CausedBy key="cause" requestId={event.request_id} />
          ) : (
            <Text key="missing" size="sm">
              {missing}
            </Text>
          ),
        ],
      ]}
    />
  );
}
