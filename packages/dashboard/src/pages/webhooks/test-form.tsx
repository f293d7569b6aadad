import { Button, Group, Modal, Select, Stack } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { tellDone } from '../../components/confirm.tsx';
import { useEventCatalog } from '../../components/event-catalog.ts';
import { sampleOf } from '../../components/json-schema/sample.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { JsonView } from '../../components/values.tsx';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';

interface TestFormProps {
  readonly endpoint: components['schemas']['Webhook'];
  readonly onClose: () => void;
  readonly onSent: (messageId: string | undefined) => void;
}

/** Sends made-up data of one type to this endpoint only. */
export function TestForm({ endpoint, onClose, onSent }: TestFormProps) {
  const path = { ...useTeamParams(), webhook_id: endpoint.id };
  const catalog = useEventCatalog();
  const [type, setType] = useState<string | null>('labtest.order.created');
  const send = useMutation({
    mutationFn: () => client.POST(`${PATH}/test`, { params: { path }, body: { event_type: type } }),
    onSuccess: ({ data }) => {
      tellDone('Test event sent');
      onClose();
      onSent(data?.message_id);
    },
  });
  const chosen = catalog.data?.events.find((event) => event.type === type);
  return (
    <Modal opened onClose={onClose} title="Send test event" size="lg">
      <Stack>
        <Select
          label="Event type"
          description="Made-up data, signed and retried like any other message, with the header webhook-test: true."
          searchable
          allowDeselect={false}
          limit={80}
          data={catalog.data?.events.map((event) => event.type) ?? ['labtest.order.created']}
          value={type}
          onChange={setType}
        />
        {chosen && catalog.data && (
          <JsonView value={sampleOf(chosen.payload, { schemas: catalog.data.schemas })} />
        )}
        {send.error && <ErrorNotice error={send.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button data-autofocus loading={send.isPending} onClick={() => send.mutate()}>
            Send
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
