import { Button, Group, Modal, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { tellDone } from '../../components/confirm.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { useTenantNow } from '../../components/tenant-clock.ts';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';
const DAY_MS = 86_400_000;

interface ReplayFormProps {
  readonly endpointId: string;
  readonly onClose: () => void;
}

/** Sends again what failed, or what was never sent, from a time on. */
export function ReplayForm({ endpointId, onClose }: ReplayFormProps) {
  const path = { ...useTeamParams(), webhook_id: endpointId };
  const queries = useQueryClient();
  const [kind, setKind] = useState('recover');
  const now = useTenantNow();
  const [chosen, setFrom] = useState<string>();
  // The clock of a sandbox may have been moved, and events are dated by it.
  const from = chosen ?? toLocal(new Date(now - DAY_MS));
  const [until, setUntil] = useState('');
  const run = useMutation({
    mutationFn: async () => {
      const since = new Date(from).toISOString();
      if (kind === 'recover') {
        const { data } = await client.POST(`${PATH}/recover`, { params: { path }, body: { since } });
        return `${data?.recovered ?? 0} messages are sent again${data?.has_more ? '; run it again for the rest' : ''}`;
      }
      const body = { since, ...(until === '' ? {} : { until: new Date(until).toISOString() }) };
      await client.POST(`${PATH}/replay-missing`, { params: { path }, body });
      return 'Missing events are being sent. This continues in the background.';
    },
    onSuccess: async (message) => {
      tellDone(message);
      onClose();
      await queries.invalidateQueries({ queryKey: ['get', `${PATH}/attempt`] });
    },
  });
  return (
    <Modal opened onClose={onClose} title="Send again from a time" size="lg">
      <Stack>
        <Radio.Group label="What to send" value={kind} onChange={setKind}>
          <Stack gap="xs" mt="xs">
            <Radio
              value="recover"
              label="Failed messages"
              description="Messages since then that this endpoint never accepted."
            />
            <Radio
              value="replay"
              label="Missing events"
              description="Events that were never sent to it: from before it was created, while it was disabled, or of types that its filter excluded."
            />
          </Stack>
        </Radio.Group>
        <Group grow align="flex-start">
          <TextInput
            type="datetime-local"
            label="From"
            required
            value={from}
            onChange={(event) => setFrom(event.currentTarget.value)}
          />
          {kind === 'replay' && (
            <TextInput
              type="datetime-local"
              label="Until"
              description="Empty: now"
              value={until}
              onChange={(event) => setUntil(event.currentTarget.value)}
            />
          )}
        </Group>
        <Text size="xs" c="dimmed">
          Times are in your zone. A receiver tells duplicates by the webhook-id header, which stays the same.
        </Text>
        {run.error && <ErrorNotice error={run.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={run.isPending} disabled={from === ''} onClick={() => run.mutate()}>
            Send again
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The form of an input of type datetime-local, in the zone of the viewer. */
function toLocal(time: Date): string {
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shifted.toISOString().slice(0, 16);
}
