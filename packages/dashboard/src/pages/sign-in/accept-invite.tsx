import { Button, Stack } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { ApiError, client } from '../../api/client.ts';
import { rememberOrganization } from '../../base/known-organizations.ts';
import { isAbout, NewPasswordInput } from '../../components/new-password-input.tsx';
import { OwnNameInput } from '../../components/own-name-input.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { InvalidLink } from './invalid-link.tsx';
import { useOneTimeToken } from './one-time-token.ts';
import { SignInFrame } from './sign-in-frame.tsx';

const HELP = 'Ask the person who invited you for a new invite.';

/** The page of an invite. */
export function Page() {
  const { token } = useOneTimeToken();
  return (
    <SignInFrame title="Accept your invite" lead="Choose the name that others see, and a password.">
      {token === undefined ? (
        <InvalidLink isIncomplete help={HELP} />
      ) : (
        <InviteForm key={token} token={token} />
      )}
    </SignInFrame>
  );
}

function InviteForm({ token }: { readonly token: string }) {
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await client.POST('/v1/invite/accept', {
        body: { token, name: name.trim(), password } as never,
      });
      if (!data) return;
      const { id, name: organization } = data.organization;
      rememberOrganization({ id, name: organization });
      await navigate({ to: '/sign-in', search: { org: id, joined: '1' }, replace: true } as never);
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  if (error instanceof ApiError && error.status === 404)
    return <InvalidLink isIncomplete={false} help={HELP} />;
  const isShownAtField = ['name', 'password'].some((field) => isAbout(error, field));
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <OwnNameInput value={name} onChange={setName} error={error} />
        <NewPasswordInput label="Password" value={password} onChange={setPassword} error={error} />
        {error !== undefined && !isShownAtField && <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy} fullWidth>
          Become a member
        </Button>
      </Stack>
    </form>
  );
}
