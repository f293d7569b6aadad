import { Alert, Anchor, Button, Divider, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import { knownOrganizations } from '../../base/known-organizations.ts';
import { useUrlState } from '../../base/url-state.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { useEnter } from './enter.ts';
import { ForgottenPassword } from './forgotten-password.tsx';
import { OrganizationChoice } from './organization-choice.tsx';
import { PasskeyButton } from './passkey.tsx';
import { SecondFactor, type PendingSignIn } from './second-factor.tsx';
import { SignInFrame } from './sign-in-frame.tsx';
import { SingleSignOnButton } from './single-sign-on.tsx';

/** Only paths of the dashboard: another site must not be able to choose where a sign-in leads. */
const isOwnPath = (path: string | undefined): path is string =>
  path !== undefined && /^\/(?!\/)[^\\]*$/.test(path) && !path.startsWith('/sign-in');

export function Page() {
  const [{ next, ended, org, joined }] = useUrlState();
  const [pending, setPending] = useState<PendingSignIn>();
  const enter = useEnter();
  const goOn = () => enter(isOwnPath(next) ? next : '/');
  return (
    <SignInFrame title={pending ? 'One step more' : 'Sign in to Aliquot'}>
      {ended !== undefined && !pending && (
        <Alert color="yellow" title="Your session has ended">
          Sign in again; you come back to the page where you were.
        </Alert>
      )}
      {joined !== undefined && !pending && (
        <Alert color="teal" title={`You are now a member of ${nameOf(org) ?? 'the organization'}`}>
          Sign in with your password.
        </Alert>
      )}
      {pending ? (
        <SecondFactor pending={pending} onSignedIn={goOn} onCancel={() => setPending(undefined)} />
      ) : (
        <Credentials org={org ?? ''} next={next} onSignedIn={goOn} onPending={setPending} />
      )}
    </SignInFrame>
  );
}

/** As the invite told this browser; what the URL says could be anything. */
const nameOf = (orgId: string | undefined) => knownOrganizations().find(({ id }) => id === orgId)?.name;

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
