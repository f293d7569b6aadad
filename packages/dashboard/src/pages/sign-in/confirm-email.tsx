import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, ApiError, client, requestContext } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { tellDone } from '../../components/confirm.tsx';
import { ErrorNotice, Loaded } from '../../components/states.tsx';
import { Credentials } from './credentials.tsx';
import { useEnter } from './enter.ts';
import { InvalidLink } from './invalid-link.tsx';
import { useOneTimeToken } from './one-time-token.ts';
import { SecondFactor, type PendingSignIn } from './second-factor.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const PATH = '/v1/account/email-change';
const HELP = 'Ask for a new one on your account page.';
const TITLE = 'Confirm your new e-mail address';

/** The page of the link that was sent to a new address. It works for the member who asked for it, signed in. */
export function Page() {
  const { token } = useOneTimeToken();
  const session = useSession();
  if (token === undefined)
    return (
      <SignInFrame title={TITLE}>
        <InvalidLink isIncomplete help={HELP} />
      </SignInFrame>
    );
  return (
    <SignInFrame title={TITLE}>
      <Loaded query={{ ...session, data: session.data === undefined ? undefined : [session.data] }} lines={3}>
        {([signedIn]) => (signedIn ? <Confirmation token={token} /> : <SignInFirst />)}
      </Loaded>
    </SignInFrame>
  );
}

/** Signs in without leaving the page, so that the token stays in the fragment alone. */
function SignInFirst() {
  const [pending, setPending] = useState<PendingSignIn>();
  const enter = useEnter();
  const stay = () => enter(null);
  if (pending)
    return <SecondFactor pending={pending} onSignedIn={stay} onCancel={() => setPending(undefined)} />;
  return (
    <>
      <Text size="sm">
        Sign in with your old address first, so that the link is of no use to anyone else.
      </Text>
      <Credentials org="" next={undefined} onSignedIn={stay} onPending={setPending} />
    </>
  );
}

function Confirmation({ token }: { readonly token: string }) {
  const pending = api.useQuery('get', PATH);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const enter = useEnter();
  const confirm = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await client.POST(`${PATH}/confirm`, { body: { token } });
      // The old session has ended with its token against forged requests.
      if (data) requestContext.csrfToken = data.csrf_token;
      tellDone('Your e-mail address is changed. Your other sessions have ended.');
      await enter();
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  if (error instanceof ApiError && error.status === 404)
    return <InvalidLink isIncomplete={false} help={HELP} />;
  return (
    <Loaded query={pending} lines={3}>
      {({ email_change: change }) =>
        change ? (
          <Stack>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              From now on you sign in with <b>{change.email}</b>. Your other sessions end.
            </Text>
            {error !== undefined && <ErrorNotice error={error} />}
            <Button fullWidth loading={isBusy} onClick={() => void confirm()}>
              Use this address
            </Button>
          </Stack>
        ) : (
          <InvalidLink isIncomplete={false} help={HELP} />
        )
      }
    </Loaded>
  );
}
