import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { IconEye, IconRefresh } from '../../base/icons.ts';
import { useTeamParams } from '../../base/organization.ts';
import { confirm, tellDone, tellError } from '../../components/confirm.tsx';
import { Section } from '../../components/page.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}/secret';

/** The signing secret: asked for only when the reader wants it, and never kept in the cache of queries. */
export function Secret({ endpointId }: { readonly endpointId: string }) {
  const path = { ...useTeamParams(), webhook_id: endpointId };
  const [key, setKey] = useState<string>();
  const reveal = useMutation({
    mutationFn: () => client.GET(PATH, { params: { path } }),
    onSuccess: ({ data }) => setKey(data?.key),
    onError: tellError,
  });
  const rotate = useMutation({
    mutationFn: () => client.POST(`${PATH}/rotate`, { params: { path }, body: {} }),
    onSuccess: () => {
      setKey(undefined);
      tellDone('Secret replaced. The old one signs too for 24 hours.');
    },
    onError: tellError,
  });
  return (
    <Section
      title="Signing secret"
      actions={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            loading={reveal.isPending}
            leftSection={<IconEye size={15} />}
            onClick={() => (key === undefined ? reveal.mutate() : setKey(undefined))}
          >
            {key === undefined ? 'Reveal' : 'Hide'}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={rotate.isPending}
            leftSection={<IconRefresh size={15} />}
            onClick={() =>
              confirm({
                title: 'Replace the signing secret?',
                text: 'A new secret signs from now on. For 24 hours the old one signs as well, so that you can change your service in that time.',
                action: 'Replace secret',
                run: () => rotate.mutate(),
              })
            }
          >
            Rotate
          </Button>
        </Group>
      }
    >
      {key === undefined ? (
        <Text size="sm" c="dimmed">
          Your service verifies with it that a message comes from here: HMAC-SHA256 over id.timestamp.body,
          the Standard Webhooks scheme.
        </Text>
      ) : (
        <CodeBlock text={key} />
      )}
    </Section>
  );
}
