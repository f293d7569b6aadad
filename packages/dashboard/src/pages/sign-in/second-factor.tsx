import { Anchor, Button, Group, PinInput, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { ErrorNotice } from '../../components/states.tsx';
import { EnrollAtSignIn } from './enroll-at-sign-in.tsx';
import { PasskeyButton } from './passkey.tsx';

export type PendingSignIn = components['schemas']['PendingSignIn'];

interface SecondFactorProps {
  readonly pending: PendingSignIn;
  readonly onSignedIn: () => Promise<void>;
  readonly onCancel: () => void;
}

/** The second step: a code of the authenticator app, a recovery code, or a passkey. */
export function SecondFactor({ pending, onSignedIn, onCancel }: SecondFactorProps) {
  const [code, setCode] = useState('');
  const [isRecovery, setRecovery] = useState(!pending.methods.includes('totp'));
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  if (pending.status === 'enrollment_required')
    return <EnrollAtSignIn onSignedIn={onSignedIn} onCancel={onCancel} />;
  const submit = async (event?: FormEvent, typed = code) => {
    event?.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await client.POST('/v1/session/second-factor', {
        body: isRecovery ? { recovery_code: typed } : { totp_code: typed },
      });
      await onSignedIn();
    } catch (problem) {
      setError(problem);
      setCode('');
    } finally {
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        {isRecovery ? (
          <TextInput
            label="Recovery code"
            description="One of the ten codes that you kept. Each works once."
            autoComplete="off"
            required
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        ) : (
          <Stack gap={4}>
            <Text size="sm" id="totp-label">
              The six digits that your authenticator app shows
            </Text>
            <PinInput
              length={6}
              type="number"
              oneTimeCode
              autoFocus
              aria-labelledby="totp-label"
              value={code}
              onChange={setCode}
              onComplete={(typed) => void submit(undefined, typed)}
            />
          </Stack>
        )}
        {error !== undefined && <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy}>
          Continue
        </Button>
        {pending.methods.includes('passkey') && <PasskeyButton onSignedIn={onSignedIn} onError={setError} />}
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={() => setRecovery(!isRecovery)}>
            {isRecovery ? 'Use the authenticator app' : 'Use a recovery code'}
          </Anchor>
          <Anchor component="button" type="button" size="sm" onClick={onCancel}>
            Start again
          </Anchor>
        </Group>
      </Stack>
    </form>
  );
}
