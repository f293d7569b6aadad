import { Button, Group, Modal, MultiSelect, Select, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { useTeamParams, type useRegionParams } from '../../base/organization.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { expiryOf, LIFETIMES } from './lifetimes.ts';

type Area = NonNullable<components['schemas']['CreateTeamAPIKeyBodyInput']['areas']>[number];

const AREAS: readonly Area[] = ['users', 'catalog', 'orders', 'results', 'wearables', 'events', 'team'];

/** Assistants read only; a sandbox permits them with every key. */
function assistantsHint(environment: string, isReadOnly: boolean): string {
  if (environment === 'sandbox') return 'No effect in the sandbox: assistants may use every key there.';
  return isReadOnly
    ? 'Assistants such as those of “aliquot mcp” may read production with it.'
    : 'For read-only keys: assistants never write to production.';
}

interface KeyFormProps {
  readonly region: NonNullable<ReturnType<typeof useRegionParams>>;
  readonly onMade: (value: string) => void;
  readonly onClose: () => void;
}

export function KeyForm({ region, onMade, onClose }: KeyFormProps) {
  const { team_id } = useTeamParams();
  const [label, setLabel] = useState('');
  const [areas, setAreas] = useState<readonly Area[]>([]);
  const [isReadOnly, setReadOnly] = useState(false);
  const [allowsAssistants, setAllowsAssistants] = useState(false);
  const [days, setDays] = useState<string | null>('');
  const create = useMutation({
    mutationFn: async () => {
      const { data } = await client.POST('/v1/org/{org_id}/team_api_keys/{env}/{region}', {
        params: { path: region },
        body: {
          label,
          team_id,
          read_only: isReadOnly,
          // The choice is kept while the form is open, but holds only for a key that cannot write.
          assistants: isReadOnly && allowsAssistants,
          areas: areas.length === 0 ? null : [...areas],
          expires_at: expiryOf(days),
        },
      });
      return data?.value;
    },
    onSuccess: (value) => value !== undefined && onMade(value),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Modal opened onClose={onClose} title="Create API key">
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label="Label"
            description="Which program uses it"
            placeholder="Booking service"
            required
            maxLength={200}
            data-autofocus
            value={label}
            onChange={(event) => setLabel(event.currentTarget.value)}
          />
          <MultiSelect
            label="Areas"
            description="What it may use. Empty: everything of the team."
            placeholder={areas.length === 0 ? 'All areas' : ''}
            data={[...AREAS]}
            value={[...areas]}
            onChange={(chosen) => setAreas(AREAS.filter((area) => chosen.includes(area)))}
          />
          <Switch
            label="Read only"
            description="It may only send GET requests."
            checked={isReadOnly}
            onChange={(event) => setReadOnly(event.currentTarget.checked)}
          />
          <Switch
            label="Assistants"
            description={assistantsHint(region.env, isReadOnly)}
            disabled={!isReadOnly}
            checked={isReadOnly && allowsAssistants}
            onChange={(event) => setAllowsAssistants(event.currentTarget.checked)}
          />
          <Select
            label="Expires"
            allowDeselect={false}
            data={[...LIFETIMES]}
            value={days}
            onChange={setDays}
          />
          {create.error && <ErrorNotice error={create.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending}>
              Create key
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
