import { Button } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../api/client.ts';
import { PREFIX } from '../../api/service.ts';

interface SingleSignOnButtonProps {
  readonly email: string;
  /** Where it leads afterwards, below the dashboard. */
  readonly next: string;
  readonly onError: (error: unknown) => void;
}

/** Leads to the identity provider of the organization, which the domain of the address decides. */
export function SingleSignOnButton({ email, next, onError }: SingleSignOnButtonProps) {
  const [isBusy, setBusy] = useState(false);
  const start = async () => {
    if (!email.includes('@')) {
      onError(new Error('Fill in your e-mail address first: its domain decides where you sign in.'));
      return;
    }
    setBusy(true);
    try {
      const { data } = await client.POST('/v1/session/sso', {
        body: { email, return_to: `${PREFIX}/dashboard${next === '/' ? '' : next}` },
      });
      if (data) location.assign(data.authorization_url);
    } catch (error) {
      onError(error);
      setBusy(false);
    }
  };
  return (
    <Button variant="default" fullWidth loading={isBusy} onClick={() => void start()}>
      Sign in with single sign-on
    </Button>
  );
}
