import { Alert, Anchor, Stack, Tabs } from '@mantine/core';
import { useState } from 'react';
import { hasPasskeys, PasskeyEnrollment } from '../../components/enrollment/passkey-enrollment.tsx';
import { RecoveryCodes } from '../../components/enrollment/recovery-codes.tsx';
import { TotpEnrollment } from '../../components/enrollment/totp-enrollment.tsx';

interface EnrollAtSignInProps {
  readonly onSignedIn: () => Promise<void>;
  readonly onCancel: () => void;
}

/** For a member who has no second factor, of an organization that requires one: enrolling it completes the sign-in. */
export function EnrollAtSignIn({ onSignedIn, onCancel }: EnrollAtSignInProps) {
  const [codes, setCodes] = useState<readonly string[]>();
  const [tab, setTab] = useState<string | null>('totp');
  const finish = ({ recovery_codes: made }: { readonly recovery_codes: readonly string[] | null }) => {
    if (made && made.length > 0) setCodes(made);
    else void onSignedIn();
  };
  if (codes) return <RecoveryCodes codes={codes} onDone={() => void onSignedIn()} />;
  return (
    <Stack>
      <Alert color="accent" title="Your organization requires a second factor">
        Set one up now; from then on it is asked for when you sign in.
      </Alert>
      {hasPasskeys() ? (
        <Tabs value={tab} onChange={setTab} keepMounted={false}>
          <Tabs.List grow mb="md">
            <Tabs.Tab value="totp">Authenticator app</Tabs.Tab>
            <Tabs.Tab value="passkey">Passkey</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="totp">
            <TotpEnrollment onEnrolled={finish} />
          </Tabs.Panel>
          <Tabs.Panel value="passkey">
            <PasskeyEnrollment onEnrolled={finish} />
          </Tabs.Panel>
        </Tabs>
      ) : (
        <TotpEnrollment onEnrolled={finish} />
      )}
      <Anchor component="button" type="button" size="sm" onClick={onCancel}>
        Start again
      </Anchor>
    </Stack>
  );
}
