import { Button, Group, Modal, MultiSelect, NumberInput, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams } from '../../base/organization.ts';
import { useGoTo } from '../../base/tenant.ts';
import { tellDone } from '../../components/confirm.tsx';
import { prefixesOf, useEventCatalog } from '../../components/event-catalog.ts';
import { ErrorNotice } from '../../components/states.tsx';

type Webhook = components['schemas']['Webhook'];

interface EndpointFormProps {
  /** Undefined: a new one is made. */
  readonly endpoint?: Webhook;
  readonly onClose: () => void;
}

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook';

export function EndpointForm({ endpoint, onClose }: EndpointFormProps) {
  const path = useTeamParams();
  const goTo = useGoTo();
  const queries = useQueryClient();
  const catalog = useEventCatalog();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [types, setTypes] = useState<string[]>(endpoint?.filter_types ?? []);
  const [rate, setRate] = useState<number | string>(endpoint?.rate_limit ?? '');
  const save = useMutation({
    mutationFn: async () => {
      const body = {
        url,
        description,
        filter_types: types.length === 0 ? null : types,
        rate_limit: rate === '' ? null : Number(rate),
      };
      if (!endpoint)
        return (await client.POST(PATH, { params: { path }, body: { ...body, disabled: false } })).data;
      const at = { ...path, webhook_id: endpoint.id };
      return (await client.PATCH(`${PATH}/{webhook_id}`, { params: { path: at }, body })).data;
    },
    onSuccess: async (saved) => {
      await queries.invalidateQueries({ queryKey: ['get', PATH] });
      await queries.invalidateQueries({ queryKey: ['get', `${PATH}/{webhook_id}`] });
      tellDone(endpoint ? 'Endpoint changed' : 'Endpoint added');
      onClose();
      if (!endpoint && saved) goTo(`webhooks/${saved.id}`);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const events = catalog.data?.events ?? [];
  return (
    <Modal opened onClose={onClose} title={endpoint ? 'Edit endpoint' : 'Add endpoint'} size="lg">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="URL"
            description="Must accept POST. In production it must begin with https."
            placeholder="https://example.com/webhooks"
            type="url"
            required
            data-autofocus
            value={url}
            onChange={(event) => setUrl(event.currentTarget.value)}
          />
          <TextInput
            label="Description"
            placeholder="What receives the events"
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <MultiSelect
            label="Events"
            description="Exact types, or groups that end in .* and include future types. Empty: every event."
            placeholder={types.length === 0 ? 'All events' : ''}
            searchable
            clearable
            clearButtonProps={{ 'aria-label': 'Clear events' }}
            hidePickedOptions
            limit={60}
            nothingFoundMessage="No such event"
            value={types}
            onChange={setTypes}
            data={[
              { group: 'Groups', items: [...prefixesOf(events)] },
              { group: 'Types', items: events.map(({ type }) => type) },
            ]}
          />
          <NumberInput
            label="Rate limit"
            description="Messages per second at most. Empty: no limit."
            min={1}
            allowDecimal={false}
            value={rate}
            onChange={setRate}
          />
          {save.error && <ErrorNotice error={save.error} />}
          <Group justify="flex-end">
            <Text size="xs" c="dimmed" flex={1}>
              {endpoint ? '' : 'A signing secret is made for it. You can read it on its page.'}
            </Text>
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              {endpoint ? 'Save' : 'Add endpoint'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
