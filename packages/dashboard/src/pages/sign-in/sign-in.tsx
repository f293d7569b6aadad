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
import { rememberOrganization } from '../../base/known-organizations.ts';
import { useUrlState } from '../../base/url-state.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { ForgottenPassword } from './forgotten-password.tsx';
import { OrganizationChoice } from './organization-choice.tsx';
import { PasskeyButton } from './passkey.tsx';
import { SecondFactor, type PendingSignIn } from './second-factor.tsx';
import { SingleSignOnButton } from './single-sign-on.tsx';

/** Only paths of the dashboard: another site must not be able to choose where a sign-in leads. */
const isOwnPath = (path: string | undefined): path is string =>
  path !== undefined && /^\/(?!\/)[^\\]*$/.test(path) && !path.startsWith('/sign-in');

export function Page() {
  const [{ next, ended, step, methods, org }] = useUrlState();
  const [pending, setPending] = useState(() => pendingOf(step, methods));
  const queries = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => {
    document.title = 'Sign in · Aliquot';
  }, []);
  const enter = async () => {
    await queries.resetQueries({ queryKey: sessionQuery.queryKey });
    const signedIn = await queries.fetchQuery(sessionQuery);
    if (signedIn) void rememberOrganizationOf(signedIn.session.org_id);
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
            <Credentials org={org ?? ''} next={next} onSignedIn={enter} onPending={setPending} />
          )}
        </Stack>
      </Paper>
    </Center>
  );
}

/** A page of the service for links has done the first step: its cookie is set, and the URL says what is missing. */
function pendingOf(step: string | undefined, methods = ''): PendingSignIn | undefined {
  if (step !== 'second_factor_required' && step !== 'enrollment_required') return undefined;
  const known = METHODS.filter((method) => methods.split(',').includes(method));
  return { status: step, methods: known, expires_at: '' };
}

const METHODS: readonly PendingSignIn['methods'][number][] = ['totp', 'passkey', 'recovery_code'];

async function rememberOrganizationOf(orgId: string): Promise<void> {
  const path = { org_id: orgId };
  const { data } = await client
    .GET('/v1/org/{org_id}', { params: { path } })
    .catch(() => ({ data: undefined }));
  if (data) rememberOrganization({ id: data.id, name: data.name });
}

interface CredentialsProps {
  readonly org: string;
  readonly next: string | undefined;
  readonly onSignedIn: () => Promise<void>;
  readonly onPending: (pending: PendingSignIn) => void;
}

function Credentials({ org, next, onSignedIn, onPending }: CredentialsProps) {
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
