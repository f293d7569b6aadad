import { Button, Modal, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError, client, requestContext } from '../api/client.ts';

interface Waiting {
  readonly answer: (isDone: boolean) => void;
}

/**
 * Asks for the credentials again when the API wants them for what is dangerous; the request that was refused is then
 * sent again. Mounted once.
 */
export function ReauthenticationDialog() {
  const [waiting, setWaiting] = useState<Waiting>();
  const asked = useRef<Promise<boolean>>(undefined);
  useEffect(() => {
    // Several requests that are refused together are answered by one dialog.
    requestContext.onReauthenticate = () => {
      asked.current ??= new Promise<boolean>((answer) => setWaiting({ answer })).finally(() => {
        asked.current = undefined;
        setWaiting(undefined);
      });
      return asked.current;
    };
    return () => {
      requestContext.onReauthenticate = undefined;
    };
  }, []);
  return (
    <Modal
      opened={waiting !== undefined}
      onClose={() => waiting?.answer(false)}
      title="Show that it is you"
      size="sm"
      zIndex={400}
    >
      {waiting && <Credentials onDone={() => waiting.answer(true)} />}
    </Modal>
  );
}

function Credentials({ onDone }: { readonly onDone: () => void }) {
  const [password, setPassword] = useState('');
  const [code, setCode] = useState('');
  const [needsCode, setNeedsCode] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const body = { password, ...(code === '' ? {} : { totp_code: code }) };
      const { data } = await client.POST('/v1/session/reauthenticate', { body });
      if (data) requestContext.csrfToken = data.csrf_token;
      onDone();
    } catch (error) {
      if (error instanceof ApiError && error.code === 'second_factor_required') setNeedsCode(true);
      else setProblem(error instanceof Error ? error.message : String(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text size="sm">
          What you are about to do is dangerous. Sign in again to do it; this holds for five minutes.
        </Text>
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          required
          data-autofocus
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problem}
        />
        {needsCode && (
          <TextInput
            label="Code of your authenticator app"
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        <Button type="submit" loading={isBusy}>
          Continue
        </Button>
        <PasskeyProof onDone={onDone} onProblem={setProblem} />
      </Stack>
    </form>
  );
}

interface PasskeyProofProps {
  readonly onDone: () => void;
  readonly onProblem: (problem: string) => void;
}

/** For members without a password. */
function PasskeyProof({ onDone, onProblem }: PasskeyProofProps) {
  const withPasskey = async () => {
    try {
      const { data: options } = await client.POST('/v1/session/passkey/options');
      const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
        options as PublicKeyCredentialRequestOptionsJSON,
      );
      const credential = await navigator.credentials.get({ publicKey });
      if (!(credential instanceof PublicKeyCredential)) return;
      const { data } = await client.POST('/v1/session/reauthenticate/passkey', {
        body: { credential: credential.toJSON() as never },
      });
      if (data) requestContext.csrfToken = data.csrf_token;
      onDone();
    } catch (error) {
      onProblem(error instanceof ApiError ? error.message : 'No passkey was chosen.');
    }
  };
  return 'PublicKeyCredential' in globalThis ? (
    <Button variant="default" onClick={() => void withPasskey()}>
      Use a passkey
    </Button>
  ) : null;
}
