import { Alert, Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { usePermissions } from '../../base/tenant.ts';
import { confirm } from '../../components/confirm.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { BY_CURSOR, LoadMore } from '../../components/load-more.tsx';
import { Section } from '../../components/page.tsx';
import { SecretOnce } from '../../components/secret-once.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { StatusBadge, TimeText } from '../../components/values.tsx';
import { useTenantScope } from './use-tenant-scope.ts';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/break_glass';

export function BreakGlass() {
  const path = useTenantScope();
  const may = usePermissions();
  const query = api.useInfiniteQuery('get', PATH, { params: { path } }, BY_CURSOR);
  const { run } = useAction([PATH]);
  const [isOpening, setOpening] = useState(false);
  const [token, setToken] = useState<string>();
  const end = (id: string) =>
    confirm({
      title: 'End the access now?',
      text: 'The token stops working at once.',
      action: 'End it',
      run: () =>
        run(
          () => client.DELETE(`${PATH}/{opening_id}`, { params: { path: { ...path, opening_id: id } } }),
          'The access has ended.',
        ),
    });
  return (
    <Section
      title="Emergency access"
      actions={
        may('break-glass:open') && (
          <Button size="xs" variant="default" onClick={() => setOpening(true)}>
            Open access
          </Button>
        )
      }
    >
      <Stack>
        <Alert color="gray" title="For emergencies only">
          A token that reads everything of this team and environment for 60 minutes. The opening and its
          reason are in the audit log, each access is in the access log, and the address for critical results
          gets an e-mail. Only an owner can open it.
        </Alert>
        <Loaded query={query} lines={3}>
          {({ pages }) => (
            <DataTable
              label="Break-glass openings"
              rows={pages.flatMap(({ data }) => data)}
              keyOf={({ id }) => id}
              empty={
                <EmptyState title="Never opened" call="POST …/break_glass">
                  Each opening is listed here, with its reason and the person.
                </EmptyState>
              }
              columns={[
                { title: 'Reason', phone: 'title', render: ({ reason }) => <Text size="sm">{reason}</Text> },
                {
                  title: 'State',
                  phone: 'state',
                  render: ({ is_open: isOpen }) => <StatusBadge status={isOpen ? 'active' : 'ended'} />,
                },
                { title: 'Opened by', phone: 'detail', render: ({ opened_by: by }) => by },
                { title: 'Opened', phone: 'aside', render: ({ opened_at: at }) => <TimeText value={at} /> },
                {
                  title: 'Ended',
                  phone: 'line',
                  render: ({ ended_at: ended, ends_at: ends }) => <TimeText value={ended ?? ends} relative />,
                },
                {
                  title: 'Actions',
                  phone: 'actions',
                  align: 'right',
                  render: ({ id, is_open: isOpen }) =>
                    isOpen &&
                    may('break-glass:end') && (
                      <Group justify="flex-end">
                        <Button size="compact-xs" variant="default" onClick={() => end(id)}>
                          End now
                        </Button>
                      </Group>
                    ),
                },
              ]}
            />
          )}
        </Loaded>
        <LoadMore query={query} />
      </Stack>
      {isOpening && <OpenDialog onClose={() => setOpening(false)} onToken={setToken} />}
      {token !== undefined && (
        <SecretOnce
          title="The break-glass token"
          text="It reads everything of this team for 60 minutes. Send it in the header Authorization, after Bearer."
          value={token}
          onClose={() => setToken(undefined)}
        />
      )}
    </Section>
  );
}

interface OpenDialogProps {
  readonly onClose: () => void;
  readonly onToken: (token: string) => void;
}

function OpenDialog({ onClose, onToken }: OpenDialogProps) {
  const path = useTenantScope();
  const [reason, setReason] = useState('');
  const submit = async () => {
    const { data } = await client.POST(PATH, { params: { path }, body: { reason: reason.trim() } });
    if (data) onToken(data.access_token);
  };
  return (
    <FormDialog
      title={`Open emergency access to ${path.environment}?`}
      action="Open access"
      isDangerous
      changes={[PATH]}
      onClose={onClose}
      onSubmit={submit}
    >
      <Textarea
        label="Reason"
        description="It stays in the audit log for ever. Name the incident, not the patient."
        required
        autosize
        minRows={3}
        data-autofocus
        value={reason}
        onChange={(event) => setReason(event.currentTarget.value)}
      />
    </FormDialog>
  );
}
