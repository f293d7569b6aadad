import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { Section } from '../../components/page.tsx';
import { CodeBlock } from '../../components/show-api-call.tsx';
import { ErrorNotice } from '../../components/states.tsx';

/** Makes a link token for a user and leads to the page that the user would see. */
export function TryLink() {
  const [userId, setUserId] = useState('');
  const create = useMutation({
    mutationFn: async () =>
      (await client.POST('/v2/link/token', { body: { user_id: userId.trim() } })).data?.link_web_url,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Section title="Try the link page">
      <form onSubmit={submit}>
        <Stack gap="sm">
          <Text size="sm">
            Your app sends a user to this page to connect a device or an app. The link works for an hour,
            once.
          </Text>
          <Group align="flex-end">
            <TextInput
              label="User id"
              required
              w={340}
              autoComplete="off"
              value={userId}
              onChange={(event) => setUserId(event.currentTarget.value)}
            />
            <Button type="submit" loading={create.isPending}>
              Create link
            </Button>
          </Group>
          {create.error && <ErrorNotice error={create.error} />}
          {create.data !== undefined && (
            <Stack gap="xs">
              <CodeBlock text={create.data} />
              <Anchor href={create.data} target="_blank" rel="noopener" size="sm">
                Open the link page
              </Anchor>
            </Stack>
          )}
        </Stack>
      </form>
    </Section>
  );
}
