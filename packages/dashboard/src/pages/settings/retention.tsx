import { Badge, Button, Group, NumberInput, Select, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { usePermissions } from '../../base/tenant.ts';
import { DataTable } from '../../components/data-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { RETENTION_KINDS, type Kept } from './retention-kinds.ts';
import { useTenantScope } from './use-tenant-scope.ts';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/retention';

const inWords = (days: number | null): string =>
  days === null ? 'For ever' : `${days.toLocaleString()} days`;

export function Retention() {
  const path = useTenantScope();
  const may = usePermissions();
  const query = api.useQuery('get', PATH, { params: { path } });
  const [edited, setEdited] = useState<Kept>();
  return (
    <Section title="How long data are kept">
      <Loaded query={query}>
        {({ data }) => (
          <DataTable
            label="Retention"
            rows={data}
            keyOf={({ kind }) => kind}
            columns={[
              {
                title: 'Data',
                render: ({ kind }) => (
                  <>
                    <Text size="sm" fw={500}>
                      {RETENTION_KINDS[kind].label}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {RETENTION_KINDS[kind].text}
                    </Text>
                  </>
                ),
              },
              {
                title: 'Kept',
                render: ({ keep_days: days, is_default: isDefault }) => (
                  <Group gap="xs">
                    {inWords(days)}
                    {isDefault && (
                      <Badge variant="light" color="gray" tt="none" fw={500}>
                        default
                      </Badge>
                    )}
                  </Group>
                ),
              },
              {
                title: 'Allowed',
                render: ({ minimum_days: least, maximum_days: most, can_be_forever: forever }) =>
                  `${least.toLocaleString()} to ${most.toLocaleString()} days${forever ? ', or for ever' : ''}`,
              },
              {
                title: 'Actions',
                align: 'right',
                render: (kept) =>
                  may('retention:write') && (
                    <Button size="compact-xs" variant="default" onClick={() => setEdited(kept)}>
                      Change
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </Loaded>
      {edited && <ChangeRetention kept={edited} onClose={() => setEdited(undefined)} />}
    </Section>
  );
}

type Mode = 'default' | 'days' | 'forever';

function ChangeRetention({ kept, onClose }: { readonly kept: Kept; readonly onClose: () => void }) {
  const path = useTenantScope();
  const { kind, keep_days: now, is_default: isDefault, default_days: byDefault } = kept;
  const [mode, setMode] = useState<Mode>(isDefault ? 'default' : now === null ? 'forever' : 'days');
  const [days, setDays] = useState<number | string>(now ?? byDefault ?? kept.minimum_days);
  const after = mode === 'default' ? byDefault : mode === 'forever' ? null : Number(days);
  const isShorter = after !== null && (now === null || after < now);
  const value = mode === 'default' ? ('default' as const) : after;
  return (
    <FormDialog
      title={`How long to keep: ${RETENTION_KINDS[kind].label.toLowerCase()}`}
      action={isShorter ? 'Shorten it' : 'Save'}
      isDangerous={isShorter}
      changes={[PATH]}
      onClose={onClose}
      onSubmit={() => client.PATCH(PATH, { params: { path }, body: { [kind]: value } })}
    >
      <Select
        label="Keep"
        allowDeselect={false}
        data={[
          { value: 'default', label: `The default of the service (${inWords(byDefault).toLowerCase()})` },
          { value: 'days', label: 'A number of days' },
          ...(kept.can_be_forever ? [{ value: 'forever', label: 'For ever' }] : []),
        ]}
        value={mode}
        onChange={(chosen) => setMode((chosen ?? 'default') as Mode)}
      />
      {mode === 'days' && (
        <NumberInput
          label="Days"
          required
          allowDecimal={false}
          min={kept.minimum_days}
          max={kept.maximum_days}
          value={days}
          onChange={setDays}
        />
      )}
      {isShorter && (
        <Text size="sm">
          Data older than {inWords(after)} are deleted for good within a day. What is still in use stays:
          events that are not delivered yet, reports and messages that wait for a decision.
        </Text>
      )}
    </FormDialog>
  );
}
