import {
  Alert,
  Anchor,
  Button,
  Center,
  Divider,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { sessionQuery } from '../../api/session.ts';
import { useUrlState } from '../../base/url-state.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { ForgottenPassword } from './forgotten-password.tsx';
import { PasskeyButton } from './passkey.tsx';
import { SecondFactor, type PendingSignIn } from './second-factor.tsx';
import { SingleSignOnButton } from './single-sign-on.tsx';

/** Only paths of the dashboard: another site must not be able to choose where a sign-in leads. */
const isOwnPath = (path: string | undefined): path is string =>
  path !== undefined && /^\/(?!\/)[^\\]*$/.test(path) && !path.startsWith('/sign-in');

export function Page() {
  const [{ next, ended }] = useUrlState();
  const [pending, setPending] = useState<PendingSignIn>();
  const queries = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    document.title = 'Sign in · Aliquot';
  }, []);
  const enter = async () => {
    await queries.resetQueries({ queryKey: sessionQuery.queryKey });
    await queries.fetchQuery(sessionQuery);
    await navigate({ href: isOwnPath(next) ? next : '/', replace: true } as never);
  };
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper p="xl" w={400} maw="100%" shadow="sm">
        <Stack>
          <Title order={1}>{pending ? 'One step more' : 'Sign in to Aliquot'}</Title>
          {ended !== undefined && !pending && (
            <Alert color="yellow" title="Your session has ended">
              Sign in again; you come back to the page where you were.
            </Alert>
          )}
          {pending ? (
            <SecondFactor pending={pending} onSignedIn={enter} onCancel={() => setPending(undefined)} />
          ) : (
            <Credentials onSignedIn={enter} onPending={setPending} />
          )}
        </Stack>
      </Paper>
    </Center>
  );
}

interface CredentialsProps {
  readonly onSignedIn: () => Promise<void>;
  readonly onPending: (pending: PendingSignIn) => void;
}

function Credentials({ onSignedIn, onPending }: CredentialsProps) {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const [isForgotten, setForgotten] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await client.POST('/v1/session', { body: { email, password } });
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
      <SingleSignOnButton email={email} onError={setError} />
      <Text size="xs" c="dimmed">
        First start? The service has printed a sign-in URL and keeps it in its data folder. Otherwise ask an
        administrator for an invitation.
      </Text>
    </>
  );
}
