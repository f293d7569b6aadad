import { Alert, Anchor, Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { ErrorNotice } from '../../components/states.tsx';

interface ForgottenPasswordProps {
  readonly email: string;
  readonly onBack: () => void;
}

export function ForgottenPassword({ email: known, onBack }: ForgottenPasswordProps) {
  const [email, setEmail] = useState(known);
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await client.POST('/v1/account/password-reset', { body: { email } });
      setSent(true);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {isSent ? (
          <Alert color="teal" title="Look into your mailbox">
            If the address belongs to a member, a link to set a new password is on its way.
          </Alert>
        ) : (
          <>
            <TextInput
              label="E-mail"
              type="email"
              autoComplete="username"
              required
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
            />
            <Button type="submit">Send me a link</Button>
          </>
        )}
        {error !== undefined && <ErrorNotice error={error} />}
        <Anchor component="button" type="button" size="sm" onClick={onBack}>
          Back to signing in
        </Anchor>
      </Stack>
    </form>
  );
}
