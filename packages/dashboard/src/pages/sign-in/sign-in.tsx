import { Alert } from '@mantine/core';
import { useState } from 'react';
import { knownOrganizations } from '../../base/known-organizations.ts';
import { useUrlState } from '../../base/url-state.ts';
import { Credentials } from './credentials.tsx';
import { useEnter } from './enter.ts';
import { isOwnPath } from './own-path.ts';
import { SecondFactor, type PendingSignIn } from './second-factor.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

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
