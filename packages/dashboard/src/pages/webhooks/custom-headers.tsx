import { Button, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { useTeamParams } from '../../base/organization.ts';
import { usePermissions } from '../../base/tenant.ts';
import { tellDone } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { ErrorNotice, Loaded } from '../../components/states.tsx';
import { KeyValues } from '../../components/values.tsx';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/headers';

/** Headers that every message to the endpoint carries, such as a token of a gateway. */
export function CustomHeaders({ endpointId }: { readonly endpointId: string }) {
  const path = { ...useTeamParams(), webhook_id: endpointId };
  const headers = api.useQuery('get', PATH, { params: { path } });
  const may = usePermissions();
  const [isEditing, setEditing] = useState(false);
  return (
    <Section
      title="Custom headers"
      actions={
        may('egress:write') && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)} disabled={!headers.data}>
            Edit
          </Button>
        )
      }
    >
      <Loaded query={headers} lines={1}>
        {({ headers: known, sensitive }) => {
          const names = [...new Set([...Object.keys(known), ...sensitive])];
          if (names.length === 0)
            return (
              <Text size="sm" c="dimmed">
                None. Add one if your gateway asks for a token.
              </Text>
            );
          return <KeyValues rows={names.map((name) => [name, '********'] as const)} />;
        }}
      </Loaded>
      {isEditing && headers.data && (
        <HeadersForm
          path={path}
          names={[...new Set([...Object.keys(headers.data.headers), ...headers.data.sensitive])]}
          onClose={() => setEditing(false)}
        />
      )}
    </Section>
  );
}

interface HeadersFormProps {
  readonly path: ReturnType<typeof useTeamParams> & { readonly webhook_id: string };
  readonly names: readonly string[];
  readonly onClose: () => void;
}

function HeadersForm({ path, names, onClose }: HeadersFormProps) {
  const queries = useQueryClient();
  const [text, setText] = useState(names.map((name) => `${name}: ********`).join('\n'));
  const save = useMutation({
    mutationFn: () => client.PUT(PATH, { params: { path }, body: { headers: parseHeaders(text) } }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['get', PATH] });
      tellDone('Headers changed');
      onClose();
    },
  });
  return (
    <Modal opened onClose={onClose} title="Custom headers" size="lg">
      <Stack>
        <Textarea
          label="Headers"
          description="One a line, as name: value. Values are never shown again; ******** keeps the stored one."
          autosize
          minRows={4}
          ff="monospace"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {save.error && <ErrorNotice error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={save.isPending} onClick={() => save.mutate()}>
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.includes(':'))
      .map((line) => [line.slice(0, line.indexOf(':')).trim(), line.slice(line.indexOf(':') + 1).trim()]),
  );
