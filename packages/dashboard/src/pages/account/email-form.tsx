import { Alert, Button, Group, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../../api/client.ts';
import { tellDone } from '../../components/confirm.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { useAction } from '../../components/use-action.ts';
import { TimeText } from '../../components/values.tsx';

const PATH = '/v1/account/email-change';
const CHANGES = [PATH];

/** Asks for the new address; a link that is sent there makes it yours. */
export function EmailForm({ email: known }: { readonly email: string }) {
  const [isOpen, setOpen] = useState(false);
  const [email, setEmail] = useState('');
  const submit = async () => {
    await client.POST(PATH, { body: { email: email.trim() } });
    tellDone('A link is on its way to the new address.');
  };
  return (
    <>
      <Button
        size="xs"
        variant="default"
        onClick={() => {
          setEmail('');
          setOpen(true);
        }}
      >
        Change your e-mail address
      </Button>
      {isOpen && (
        <FormDialog
          title="Change your e-mail address"
          action="Send the link"
          changes={CHANGES}
          onClose={() => setOpen(false)}
          onSubmit={submit}
        >
          <Text size="sm">
            You sign in with <b>{known}</b> until you open the link that is sent to the new address. Then your
            other sessions end.
          </Text>
          <TextInput
            label="New e-mail address"
            type="email"
            autoComplete="email"
            required
            data-autofocus
            maxLength={254}
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        </FormDialog>
      )}
    </>
  );
}

/** The address that waits for its link to be opened. */
export function PendingEmail() {
  const pending = api.useQuery('get', PATH).data?.email_change;
  const { run } = useAction(CHANGES);
  if (!pending) return null;
  return (
    <Alert color="yellow" title="Your new address is not confirmed yet" mt="sm">
      <Group justify="space-between" gap="sm">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          Open the link that was sent to <b>{pending.email}</b>. It expires{' '}
          <TimeText value={pending.expires_at} relative />.
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => void run(() => client.DELETE(PATH), 'Your address stays as it is.')}
        >
          Keep the old address
        </Button>
      </Group>
    </Alert>
  );
}
