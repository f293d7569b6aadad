import { Button, Stack, Text, TextInput } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { client } from '../../api/client.ts';
import type { components } from '../../api/openapi.d.ts';
import { ErrorNotice } from '../states.tsx';

type RegisteredPasskey = components['schemas']['RegisteredPasskey'];

type AttestedCredential = components['schemas']['AttestedCredentialInput'];

export const hasPasskeys = (): boolean => 'PublicKeyCredential' in globalThis;

interface PasskeyEnrollmentProps {
  readonly onEnrolled: (passkey: RegisteredPasskey) => void;
}

/** Registers a passkey of this device or a security key. */
export function PasskeyEnrollment({ onEnrolled }: PasskeyEnrollmentProps) {
  const [name, setName] = useState('');
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      onEnrolled(await register(name.trim()));
    } catch (problem) {
      setError(isCancelled(problem) ? new Error('No passkey was made.') : problem);
      setBusy(false);
    }
  };
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <Text size="sm">
          A passkey signs you in with the fingerprint, face or PIN of this device, or with a security key.
        </Text>
        <TextInput
          label="Name of the passkey"
          description="So that you know it again, such as the name of the device."
          required
          maxLength={100}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        <Button type="submit" loading={isBusy}>
          Add the passkey
        </Button>
      </Stack>
    </form>
  );
}

const isCancelled = (error: unknown): boolean =>
  error instanceof DOMException && (error.name === 'NotAllowedError' || error.name === 'AbortError');

async function register(name: string): Promise<RegisteredPasskey> {
  const { data: options } = await client.POST('/v1/account/passkey/options');
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  );
  const credential = await navigator.credentials.create({ publicKey });
  if (!(credential instanceof PublicKeyCredential)) throw new Error('The browser returned no passkey');
  const { data } = await client.POST('/v1/account/passkey', {
    body: { name, credential: credential.toJSON() as unknown as AttestedCredential },
  });
  if (!data) throw new Error('The service returned no passkey');
  return data;
}
