import { Button, Group, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { client, requestContext } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { tellDone } from '../../components/confirm.tsx';
import { isAbout, NewPasswordInput, PASSWORD_MIN } from '../../components/new-password-input.tsx';
import { Section } from '../../components/page.tsx';
import { ErrorNotice } from '../../components/states.tsx';

export function PasswordForm() {
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const queries = useQueryClient();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await client.PUT('/v1/account/password', { body: { password } });
      // The old session has ended with its token against forged requests.
      if (data) requestContext.csrfToken = data.csrf_token;
      setPassword('');
      tellDone('Your password is changed. Your other sessions have ended.');
      await queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await queries.invalidateQueries({ queryKey: ['get', '/v1/account/session'] });
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Section title="Password">
      <form onSubmit={(event) => void submit(event)}>
        <Stack maw={420}>
          <NewPasswordInput label="New password" value={password} onChange={setPassword} error={error} />
          {error !== undefined && !isAbout(error, 'password') && <ErrorNotice error={error} />}
          <Group>
            <Button type="submit" loading={isBusy} disabled={password.length < PASSWORD_MIN}>
              Change the password
            </Button>
            <Text size="xs" c="dimmed">
              Ends all your other sessions.
            </Text>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
