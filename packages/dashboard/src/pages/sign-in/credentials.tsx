import { Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { ForgottenPassword } from './forgotten-password.tsx';
import { OrganizationChoice } from './organization-choice.tsx';
import { isOwnPath } from './own-path.ts';
import { PasskeyButton } from './passkey.tsx';
import type { PendingSignIn } from './second-factor.tsx';
import { SingleSignOnButton } from './single-sign-on.tsx';

interface CredentialsProps {
  readonly org: string;
  readonly next: string | undefined;
  readonly onSignedIn: () => Promise<void>;
  readonly onPending: (pending: PendingSignIn) => void;
}

/** How a member signs in: a password, a passkey, or the provider of the organization. */
export function Credentials({ org, next, onSignedIn, onPending }: CredentialsProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [orgId, setOrgId] = useState(org);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isForgotten, setForgotten] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await client.POST('/v1/session', {
        body: { email, password, ...(orgId === '' ? {} : { org_id: orgId }) },
      });
      if (data && 'status' in data) onPending(data);
      else await onSignedIn();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  if (isForgotten) return <ForgottenPassword email={email} onBack={() => setForgotten(false)} />;
  return (
    <>
      <form onSubmit={(event) => void submit(event)}>
        <Stack>
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username webauthn"
            required
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <OrganizationChoice value={orgId} onChange={setOrgId} />
          {error !== undefined && <ErrorNotice error={error} />}
          <Button type="submit" loading={isBusy} fullWidth>
            Sign in
          </Button>
          <Anchor component="button" type="button" size="sm" onClick={() => setForgotten(true)}>
            Forgot your password?
          </Anchor>
        </Stack>
      </form>
      <Divider label="or" />
      <PasskeyButton onSignedIn={onSignedIn} onError={setError} />
      <SingleSignOnButton email={email} next={isOwnPath(next) ? next : '/'} onError={setError} />
      <Text size="xs" c="dimmed">
        First start? The service has printed a sign-in URL and keeps it in its data folder. Otherwise ask an
        administrator for an invitation.
      </Text>
    </>
  );
}
