import { Button } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';

interface PasskeyButtonProps {
  readonly onSignedIn: () => Promise<void>;
  readonly onError: (error: unknown) => void;
}

/** Signs in with a passkey of this device or a security key; it needs no password beside it. */
export function PasskeyButton({ onSignedIn, onError }: PasskeyButtonProps) {
  const [isBusy, setBusy] = useState(false);
  if (!('PublicKeyCredential' in globalThis)) return null;
  const start = async () => {
    setBusy(true);
    try {
      await signInWithPasskey();
      await onSignedIn();
    } catch (error) {
      onError(isCancelled(error) ? new Error('No passkey was chosen.') : error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button variant="default" fullWidth loading={isBusy} onClick={() => void start()}>
      Sign in with a passkey
    </Button>
  );
}

const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && error.name === 'NotAllowedError';

async function signInWithPasskey(): Promise<void> {
  const { data: options } = await client.POST('/v1/session/passkey/options');
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const credential = await navigator.credentials.get({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey');
  await client.POST('/v1/session/passkey', {
    body: { credential: credential.toJSON() as components['schemas']['AssertedCredentialInput'] },
  });
}
