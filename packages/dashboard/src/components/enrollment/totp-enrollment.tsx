import { Button, Code, CopyButton, Group, PinInput, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { ErrorNotice, Loading } from '../states.tsx';
import { QrCode } from './qr-code.tsx';

type EnrolledFactor = components['schemas']['EnrolledFactor'];
type Started = components['schemas']['TotpEnrollment'];

interface TotpEnrollmentProps {
  readonly onEnrolled: (factor: EnrolledFactor) => void;
}

/** Connects an authenticator app: a code to scan, and six digits that prove that it was scanned. */
export function TotpEnrollment({ onEnrolled }: TotpEnrollmentProps) {
  const [started, setStarted] = useState<Started>();
  const [error, setError] = useState<unknown>();
  const isAsked = useRef(false);
  const start = async () => {
    setError(undefined);
    try {
      const { data } = await client.POST('/v1/account/totp');
      setStarted(data);
    } catch (problem) {
      setError(problem);
    }
  };
  useEffect(() => {
    // Once: a second secret would make the first one useless.
    if (isAsked.current) return;
    isAsked.current = true;
    void start();
  }, []);
  if (error !== undefined) return <ErrorNotice error={error} onRetry={() => void start()} />;
  if (!started) return <Loading lines={5} />;
  return <ConfirmTotp started={started} onEnrolled={onEnrolled} />;
}

function ConfirmTotp({ started, onEnrolled }: TotpEnrollmentProps & { readonly started: Started }) {
  const [code, setCode] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event?: FormEvent, typed = code) => {
    event?.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const { data } = await client.POST('/v1/account/totp/confirm', { body: { totp_code: typed } });
      if (data) onEnrolled(data);
    } catch (problem) {
      setError(problem);
      setCode('');
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text size="sm">
          Scan this code with an authenticator app, such as the one of your password manager.
        </Text>
        <Group justify="center">
          <QrCode text={started.otpauth_uri} label="QR code for your authenticator app" />
        </Group>
        <Group gap="xs" justify="center">
          <Text size="xs">Or type this key:</Text>
          <Code style={{ overflowWrap: 'anywhere' }}>{started.secret}</Code>
          <CopyButton value={started.secret}>
            {({ copied, copy }) => (
              <Button size="compact-xs" variant="default" onClick={copy}>
                {copied ? 'Copied' : 'Copy the key'}
              </Button>
            )}
          </CopyButton>
        </Group>
        <Stack gap={4} align="center">
          <Text size="sm" id="totp-confirm-label">
            Then type the six digits that the app shows
          </Text>
          <PinInput
            length={6}
            type="number"
            oneTimeCode
            aria-labelledby="totp-confirm-label"
            value={code}
            onChange={setCode}
            onComplete={(typed) => void submit(undefined, typed)}
          />
        </Stack>
        {error !== undefined && <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy} disabled={code.length < 6}>
          Confirm
        </Button>
      </Stack>
    </form>
  );
}
