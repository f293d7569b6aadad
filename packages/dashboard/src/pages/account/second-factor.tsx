import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { api, client } from '../../api/client.ts';
import { confirm } from '../../components/confirm.tsx';
import { RecoveryCodes } from '../../components/enrollment/recovery-codes.tsx';
import { TotpEnrollment } from '../../components/enrollment/totp-enrollment.tsx';
import { Section } from '../../components/page.tsx';
import { Loaded } from '../../components/states.tsx';
import { useAction } from '../../components/use-action.ts';
import { StatusBadge, TimeText } from '../../components/values.tsx';

const CHANGES = ['/v1/account/second-factor', '/v1/account/session'];

/** The authenticator app and the recovery codes. */
export function SecondFactor() {
  const query = api.useQuery('get', '/v1/account/second-factor');
  const { run, isBusy } = useAction(CHANGES);
  const [isEnrolling, setEnrolling] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>();
  const close = () => {
    setEnrolling(false);
    setCodes(undefined);
  };
  const askToRemove = () =>
    confirm({
      title: 'Remove the authenticator app?',
      text: 'Its codes no longer sign you in. Recovery codes end with your last second factor.',
      action: 'Remove the app',
      isDangerous: true,
      run: () => run(() => client.DELETE('/v1/account/totp'), 'The authenticator app is removed.'),
    });
  const replaceCodes = () =>
    run(async () => {
      const { data } = await client.POST('/v1/account/recovery-codes');
      setCodes(data?.recovery_codes);
    });
  const askToReplace = () =>
    confirm({
      title: 'Make new recovery codes?',
      text: 'The codes that you keep now become invalid.',
      action: 'Make new codes',
      run: replaceCodes,
    });
  return (
    <Section title="Second factor">
      <Loaded query={query} lines={2}>
        {({ totp, passkeys, recovery_codes_left: left }) => (
          <Stack gap="sm">
            <Row
              title="Authenticator app"
              state={<StatusBadge status={totp ? 'active' : 'off'} />}
              text={
                totp ? (
                  <>
                    Connected <TimeText value={totp.confirmed_at} relative />.
                  </>
                ) : (
                  'Six digits from an app on your phone, in addition to your password.'
                )
              }
            >
              <Button size="xs" variant="default" onClick={() => setEnrolling(true)}>
                {totp ? 'Connect another app' : 'Set up'}
              </Button>
              {totp && (
                <Button size="xs" variant="default" loading={isBusy} onClick={askToRemove}>
                  Remove
                </Button>
              )}
            </Row>
            <Row
              title="Recovery codes"
              state={<Text size="sm">{left} left</Text>}
              text="For the day when you have lost your second factor. Each works once."
            >
              <Button
                size="xs"
                variant="default"
                loading={isBusy}
                disabled={!totp && passkeys === 0}
                onClick={askToReplace}
              >
                Make new codes
              </Button>
            </Row>
          </Stack>
        )}
      </Loaded>
      <Modal
        opened={isEnrolling || codes !== undefined}
        onClose={close}
        title={codes ? 'Recovery codes' : 'Connect an authenticator app'}
        closeOnClickOutside={!codes}
      >
        {codes ? (
          <RecoveryCodes codes={codes} onDone={close} />
        ) : (
          isEnrolling && (
            <TotpEnrollment
              onEnrolled={({ recovery_codes: made }) =>
                void run(async () => {
                  setEnrolling(false);
                  setCodes(made ?? undefined);
                }, 'The authenticator app is connected.')
              }
            />
          )
        )}
      </Modal>
    </Section>
  );
}

interface RowProps {
  readonly title: string;
  readonly state: ReactNode;
  readonly text: ReactNode;
  readonly children: ReactNode;
}

const Row = ({ title, state, text, children }: RowProps) => (
  <Group justify="space-between" gap="sm">
    <Stack gap={2}>
      <Group gap="xs">
        <Text fw={500} size="sm">
          {title}
        </Text>
        {state}
      </Group>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
    </Stack>
    <Group gap="xs">{children}</Group>
  </Group>
);
