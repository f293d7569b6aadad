import { Button, Stack, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { ApiError, client } from '../../api/client.ts';
import { isAbout, NewPasswordInput } from '../../components/new-password-input.tsx';
import { OwnNameInput } from '../../components/own-name-input.tsx';
import { ErrorNotice } from '../../components/states.tsx';
import { useEnter } from './enter.ts';
import { InvalidLink } from './invalid-link.tsx';
import { useOneTimeToken } from './one-time-token.ts';
import { SecondFactor, type PendingSignIn } from './second-factor.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

const HELP = 'Ask for a new one at the sign-in, or ask the operator of the service.';

/** The page of a one-time link: of the first start, of the operator, or for a forgotten password. */
export function Page() {
  const { token, isForOwner, forget } = useOneTimeToken();
  const [pending, setPending] = useState<PendingSignIn>();
  const [isDone, setDone] = useState(false);
  const enter = useEnter();
  if (pending)
    return (
      <SignInFrame title="One step more" lead="Your password is set.">
        <SecondFactor pending={pending} onSignedIn={enter} onCancel={() => void enter('/sign-in')} />
      </SignInFrame>
    );
  const finish = async (next: PendingSignIn | undefined) => {
    setDone(true);
    setPending(next);
    forget();
    if (!next) await enter();
  };
  return (
    <SignInFrame
      title={isForOwner ? 'Welcome to Aliquot' : 'Set your password'}
      lead={
        isForOwner
          ? 'You become the owner of this service. This link works once.'
          : 'This link works once. Your other sessions end with the new password.'
      }
    >
      {token === undefined && !isDone ? (
        <InvalidLink isIncomplete help={HELP} />
      ) : (
        <PasswordForm key={token} token={token ?? ''} isForOwner={isForOwner} onDone={finish} />
      )}
    </SignInFrame>
  );
}

interface PasswordFormProps {
  readonly token: string;
  readonly isForOwner: boolean;
  readonly onDone: (pending: PendingSignIn | undefined) => Promise<void>;
}

function PasswordForm({ token, isForOwner, onDone }: PasswordFormProps) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const person = isForOwner ? { name: name.trim(), email: email.trim() } : {};
      const { data } = await client.POST('/v1/session/link', { body: { token, password, ...person } });
      await onDone(data && 'status' in data ? data : undefined);
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  if (error instanceof ApiError && error.status === 404)
    return <InvalidLink isIncomplete={false} help={HELP} />;
  const isShownAtField = ['name', 'email', 'password'].some((field) => isAbout(error, field));
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {isForOwner && (
          <>
            <OwnNameInput value={name} onChange={setName} error={error} />
            <TextInput
              label="Your e-mail address"
              description="You sign in with it."
              type="email"
              autoComplete="username"
              required
              maxLength={254}
              value={email}
              onChange={(event) => setEmail(event.currentTarget.value)}
              error={isAbout(error, 'email') && 'Enter a whole e-mail address, such as ada@clinic.example.'}
            />
          </>
        )}
        <NewPasswordInput label="Password" value={password} onChange={setPassword} error={error} />
        {error !== undefined && !isShownAtField && <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy} fullWidth>
          Set the password and sign in
        </Button>
      </Stack>
    </form>
  );
}
